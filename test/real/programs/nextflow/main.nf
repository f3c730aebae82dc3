// The digits of examples/digits, learnt with three sizes of network, and the best of them. Each process is a job.

params.sizes = '4,8,16'
params.broken = false

process train {
    cpus 1
    time '5 min'

    input:
    val units

    output:
    path "${units}.jsonl"

    script:
    "python3 ${params.digits}/train.py --epochs 2 --hidden ${units} --metrics ${units}.jsonl"
}

process best {
    cpus 2
    time '5 min'

    input:
    path metrics

    output:
    stdout

    script:
    'for file in *.jsonl; do echo "$(sed -n \'$s/.*"accuracy": \\([0-9.]*\\).*/\\1/p\' $file) ${file%.jsonl}"; done | sort -n | tail -1'
}

process broken {
    errorStrategy { task.attempt == 1 ? 'retry' : 'finish' }

    script:
    'echo about to fail; exit 7'
}

workflow {
    if (params.broken)
        broken()
    else
        Channel.of(*params.sizes.tokenize(',')) | train | collect | best | view
}
