/**
 * Whether the end of a log says that a framework ran out of memory on a device. Frameworks have no exit code for
 * it, so their words are all there is. Memory of the host is another matter, and does not count.
 */

/** How much of a log is worth looking at: the last words of every rank of a large job. */
export const TAIL_BYTES = 64 * 1024;

const OUT_OF_DEVICE_MEMORY: readonly RegExp[] = [
  // PyTorch, on either vendor's devices; the class has had two names, and none before.
  /\btorch\.(?:cuda\.)?OutOfMemoryError\b/,
  /\b(?:CUDA|HIP) out of memory\. Tried to allocate/,
  /\b(?:CUDA|HIP) error: out of memory/,
  // TensorFlow.
  /\bOOM when allocating tensor\b/,
  /\bCUDA_ERROR_OUT_OF_MEMORY\b/,
  // JAX and whatever else stands on XLA.
  /\bRESOURCE_EXHAUSTED: (?:Out of memory|Failed to allocate request)/,
  /\bcupy\.cuda\.memory\.OutOfMemoryError\b/,
  // NVIDIA's own libraries.
  /\bcudaErrorMemoryAllocation\b/,
  /\bCUBLAS_STATUS_ALLOC_FAILED\b/,
  /\bCUDNN_STATUS_ALLOC_FAILED\b/,
  /\bcudaMalloc failed: out of memory/,
  /\btrainyard\.simulated\.OutOfDeviceMemory\b/,
];

/** TensorFlow calls everything that runs out by this name, disks too. */
const SOMETHING_RAN_OUT = /\bResourceExhaustedError\b/;
const NOT_THE_DEVICE = /\bdevice:CPU:\d|No space left on device|Too many open files|Disk quota exceeded/;

export function saysOutOfDeviceMemory(log: string | Uint8Array): boolean {
  const tail = typeof log === 'string' ? log.slice(-TAIL_BYTES) : latin1(log.subarray(-TAIL_BYTES));
  const lines = tail.split(/[\r\n]+/);
  const ofDevices = lines.filter((line) => !NOT_THE_DEVICE.test(line));
  if (ofDevices.some((line) => OUT_OF_DEVICE_MEMORY.some((pattern) => pattern.test(line)))) return true;
  return ofDevices.length === lines.length && SOMETHING_RAN_OUT.test(tail);
}

/** All that is looked for is ASCII, and a tail may begin in the middle of a character. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
