#!/bin/sh
#YARD --name line
#YARD --cpus 1
#YARD --time 5m
#YARD --output runs/%j.out

# Fits the line y = a x + b to 200 noisy points by gradient descent, in awk: a training job for machines
# without Python. It reports each epoch the way the digits example does, with a pause so that it can be watched.

epochs=${1:-15}

awk -v epochs="$epochs" '
  function noise() { return rand() - 0.5 }
  BEGIN {
    srand(1)
    for (i = 0; i < 200; i++) { x[i] = i / 100 - 1; y[i] = 2 * x[i] + 1 + noise() / 5 }
    for (epoch = 1; epoch <= epochs; epoch++) {
      slope = 0; offset = 0; loss = 0
      for (i = 0; i < 200; i++) {
        error = a * x[i] + b - y[i]
        loss += error * error / 200
        slope += error * x[i] / 100
        offset += error / 100
      }
      a -= 0.4 * slope
      b -= 0.4 * offset
      system("sleep 0.3")
      printf "epoch %d/%d loss %.4f seconds 0.30\n", epoch, epochs, loss
      fflush()
    }
    printf "done: y = %.2f x + %.2f\n", a, b
  }
'
