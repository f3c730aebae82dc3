"""Trains a small model on handwritten digits with PyTorch, on a GPU that the yard chooses."""

import digits
import glb
from trainyard import simulated

try:
    import torch
except ImportError:
    torch = None


@glb.gpu_load_balance()
def train_job(epochs: int, batch_size: int) -> "torch.nn.Module":
    with simulated.claim(memory="1.6G", load=35):
        if torch is None:
            return digits.train_without("PyTorch", epochs, batch_size)
        return train(epochs, batch_size)


def train(epochs, batch_size):
    torch.manual_seed(digits.SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pixels, labels, validation_pixels, validation_labels = (
        torch.tensor(part, device=device) for part in digits.load_arrays()
    )
    model = torch.nn.Sequential(
        torch.nn.Linear(pixels.shape[1], digits.HIDDEN_UNITS), torch.nn.ReLU(), torch.nn.Linear(digits.HIDDEN_UNITS, 10)
    ).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=digits.LEARNING_RATE)
    measure = torch.nn.CrossEntropyLoss()
    for epoch in range(epochs):
        total = 0.0
        for batch in digits.batches(len(labels), batch_size, epoch):
            optimizer.zero_grad()
            loss = measure(model(pixels[batch]), labels[batch])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        with torch.no_grad():
            right = model(validation_pixels).argmax(dim=1) == validation_labels
        digits.report(epoch, epochs, total / len(labels), right.float().mean().item())
    return model


if __name__ == "__main__":
    options = digits.parse_arguments(__doc__)
    train_job(options.epochs, options.batch_size)
