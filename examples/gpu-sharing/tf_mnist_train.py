"""Trains a small model on handwritten digits with TensorFlow, on a GPU that the yard chooses."""

import digits
import glb
from trainyard import simulated

try:
    import tensorflow as tf
except ImportError:
    tf = None


@glb.gpu_load_balance()
def train_job(epochs: int, batch_size: int) -> "tf.keras.Model":
    with simulated.claim(memory="3.2G", load=20):
        if tf is None:
            return digits.train_without("TensorFlow", epochs, batch_size)
        return train(epochs, batch_size)


def train(epochs, batch_size):
    # In here, not at the top: listing the GPUs is what settles which of them TensorFlow can see.
    physical_devices = tf.config.list_physical_devices('GPU')
    for gpu_instance in physical_devices:
        tf.config.experimental.set_memory_growth(gpu_instance, True)

    tf.random.set_seed(digits.SEED)
    pixels, labels, validation_pixels, validation_labels = map(tf.constant, digits.load_arrays())
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(digits.HIDDEN_UNITS, activation="relu"), tf.keras.layers.Dense(10)]
    )
    model.compile(
        optimizer=tf.keras.optimizers.SGD(digits.LEARNING_RATE),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    for epoch in range(epochs):
        seen = model.fit(pixels, labels, batch_size=batch_size, epochs=1, verbose=0)
        _, accuracy = model.evaluate(validation_pixels, validation_labels, verbose=0)
        digits.report(epoch, epochs, seen.history["loss"][-1], accuracy)
    return model


if __name__ == "__main__":
    options = digits.parse_arguments(__doc__)
    train_job(options.epochs, options.batch_size)
