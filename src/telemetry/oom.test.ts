import { describe, expect, test } from 'vitest';
import { saysOutOfDeviceMemory, TAIL_BYTES } from './oom.ts';

const OF_DEVICES: Readonly<Record<string, string>> = {
  'PyTorch 1': `Traceback (most recent call last):
  File "train.py", line 12, in <module>
RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.78 GiB total capacity; 13.05 GiB already allocated)`,
  'PyTorch 1.13':
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 79.15 GiB total capacity)',
  'PyTorch 2.5':
    '[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 GiB. GPU 3 has a total capacity of 79.10 GiB',
  'PyTorch on AMD': 'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 256.00 MiB.',
  'PyTorch, while the context is made':
    'RuntimeError: CUDA error: out of memory\nCUDA kernel errors might be',
  TensorFlow: `tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:

OOM when allocating tensor with shape[8192,8192] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]`,
  'TensorFlow, cut short': 'ResourceExhaustedError: Graph execution error:',
  'TensorFlow, its allocator':
    'failed to allocate 15.65G (16806772736 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory',
  JAX: 'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.',
  CuPy: 'cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,589,934,592 bytes',
  cuBLAS:
    'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\nterminated',
  cuDNN: 'RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED',
  'a program in C': 'train.cu:41: cudaErrorMemoryAllocation (2): out of memory',
  'llama.cpp':
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory',
  'a simulated device': 'trainyard.simulated.OutOfDeviceMemory: 4.0 GiB more do not fit on device 0',
};

const NOT_OF_DEVICES: Readonly<Record<string, string>> = {
  nothing: '',
  'a run that went well': 'epoch 3 loss 0.21\nmemory 13.2 of 16 GiB\ndone\n',
  Python: 'Traceback (most recent call last):\n  File "train.py", line 3\nMemoryError',
  NumPy:
    'numpy._core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array with shape (10,)',
  'the kernel': 'Killed',
  'the shell': 'slurmstepd: error: Detected 1 oom_kill event. Some of the step tasks have been OOM Killed.',
  'C++': "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
  'PyTorch on the host':
    "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 40000000000 bytes.",
  'TensorFlow on the host': `ResourceExhaustedError: Graph execution error:
OOM when allocating tensor with shape[100000,100000] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu`,
  'TensorFlow and its disk':
    'ResourceExhaustedError: ckpt/model.data-00000-of-00001.tempstate; No space left on device',
  gRPC: 'RESOURCE_EXHAUSTED: Received message larger than max (5000000 vs. 4194304)',
  'a setting': 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True helps against running out of CUDA memory',
  'a job that took care': 'caught an out of memory, goes on with batch size 16',
};

describe.each(Object.entries(OF_DEVICES))('%s', (_, text) => {
  test('ran out of memory on a device', () => {
    expect(saysOutOfDeviceMemory(text)).toBe(true);
    expect(saysOutOfDeviceMemory(Buffer.from(`100 %|█████|\r${text}\r\n`))).toBe(true);
  });
});

describe.each(Object.entries(NOT_OF_DEVICES))('%s', (_, text) => {
  test('did not run out of memory on a device', () => {
    expect(saysOutOfDeviceMemory(text)).toBe(false);
    expect(saysOutOfDeviceMemory(Buffer.from(text))).toBe(false);
  });
});

test('only the end of a log counts', () => {
  const early = `${OF_DEVICES['PyTorch 2.5']}\n`;
  const later = 'epoch done\n'.repeat(TAIL_BYTES / 8);
  expect(saysOutOfDeviceMemory(early + later)).toBe(false);
  expect(saysOutOfDeviceMemory(Buffer.from(early + later))).toBe(false);
  expect(saysOutOfDeviceMemory(Buffer.from(later + early))).toBe(true);
});

test('a tail that begins inside of a character is read all the same', () => {
  const bytes = Buffer.from(`é${OF_DEVICES.JAX}`).subarray(1);
  expect(saysOutOfDeviceMemory(bytes)).toBe(true);
});
