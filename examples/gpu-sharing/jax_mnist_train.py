"""Trains a small model on handwritten digits with JAX, and FLAX where it is there, on a GPU that the yard chooses."""

import os

import digits
import glb
from trainyard import simulated

os.environ['XLA_PYTHON_CLIENT_PREALLOCATE'] = "false"

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None
try:
    from flax import linen
except ImportError:
    linen = None


@glb.gpu_load_balance()
def train_job(epochs: int, batch_size: int) -> "tuple":
    with simulated.claim(memory="2.4G", load=25):
        if jax is None:
            return digits.train_without("JAX", epochs, batch_size)
        return train(epochs, batch_size)


def new_model(key, inputs):
    """Gives its first weights, and a function from weights and pixels to scores."""
    if linen is not None:
        model = linen.Sequential([linen.Dense(digits.HIDDEN_UNITS), linen.relu, linen.Dense(10)])
        return model.init(key, jnp.ones((1, inputs))), model.apply
    first, second = jax.random.split(key)
    weights = [
        jax.random.normal(first, (inputs, digits.HIDDEN_UNITS)) * (2 / inputs) ** 0.5,
        jax.random.normal(second, (digits.HIDDEN_UNITS, 10)) * (1 / digits.HIDDEN_UNITS) ** 0.5,
    ]
    return weights, lambda weights, pixels: jax.nn.relu(pixels @ weights[0]) @ weights[1]


def train(epochs, batch_size):
    pixels, labels, validation_pixels, validation_labels = map(jnp.array, digits.load_arrays())
    weights, scores = new_model(jax.random.PRNGKey(digits.SEED), pixels.shape[1])

    def measure(weights, pixels, labels):
        chances = jax.nn.log_softmax(scores(weights, pixels))
        return -jnp.take_along_axis(chances, labels[:, None], axis=1).mean()

    @jax.jit
    def step(weights, pixels, labels):
        loss, slopes = jax.value_and_grad(measure)(weights, pixels, labels)
        moved = jax.tree_util.tree_map(lambda old, slope: old - digits.LEARNING_RATE * slope, weights, slopes)
        return moved, loss

    for epoch in range(epochs):
        total = 0.0
        for batch in digits.batches(len(labels), batch_size, epoch):
            chosen = jnp.array(batch)
            weights, loss = step(weights, pixels[chosen], labels[chosen])
            total += float(loss) * len(batch)
        right = scores(weights, validation_pixels).argmax(axis=1) == validation_labels
        digits.report(epoch, epochs, total / len(labels), float(right.mean()))
    return weights, scores


if __name__ == "__main__":
    options = digits.parse_arguments(__doc__)
    train_job(options.epochs, options.batch_size)
