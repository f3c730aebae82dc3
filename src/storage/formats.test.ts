import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDirectory } from '../platform/directory.ts';
import { seededRandom } from '../sim/random.ts';
import { TABLE_MAGIC } from './formats/arrays.ts';
import { looksWhole as looksWholeBelow } from './formats.ts';

let directory: string;

/** What Python writes itself. */
const MAKE = `
import gzip, io, json, os, pickle, random, sys, tarfile, zipfile
os.chdir(sys.argv[1])
random.seed(7)
noise = random.randbytes(200_000)
state = {"step": 100, "weights": [random.random() for _ in range(500)], "name": "x" * 300, "big": noise,
         "set": {1, 2}, "none": None, "tuple": (1, 2.5, True), "int": 1 << 200, "text": "é\\n" * 50, "arr": bytearray(b"ab" * 99)}
with zipfile.ZipFile("stored.pt", "w", zipfile.ZIP_STORED) as z:
    z.writestr("archive/data.pkl", pickle.dumps(state, 2)); z.writestr("archive/data/0", noise); z.writestr("archive/version", "3")
with zipfile.ZipFile("deflated.npz", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.npy", noise); z.writestr("b.npy", b"0" * 5000); z.comment = b"a remark"
with zipfile.ZipFile("empty.zip", "w"): pass
zipfile.ZIP64_LIMIT = 100
with zipfile.ZipFile("long.pt", "w") as z: z.writestr("archive/data/0", noise); z.writestr("archive/version", "3")
zipfile.ZIP64_LIMIT = (1 << 31) - 1
inner = open("stored.pt", "rb").read()
with zipfile.ZipFile("nested.zip", "w") as z: z.writestr("inner.pt", inner); z.writestr("more", noise)
for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
    with open(f"protocol{protocol}.pkl", "wb") as f: pickle.dump(state, f, protocol)
with open("tiny.pkl", "wb") as f: pickle.dump(None, f, 4)
with open("state.json", "w") as f: json.dump({"step": 3, "loss": float("nan"), "low": float("-inf"), "text": "NaN \\"{}[", "list": list(range(2000))}, f)
with open("list.ckpt", "w") as f: json.dump([{"a": i} for i in range(300)], f, indent=1)
with gzip.open("state.json.gz", "wb") as f: f.write(noise[:50_000] + b"0" * 100_000)
for name, mode in (("plain.tar", "w"), ("model.tgz", "w:gz")):
    with tarfile.open(name, mode, format=tarfile.PAX_FORMAT) as t:
        for at, size in enumerate((0, 1, 512, 70_000)):
            info = tarfile.TarInfo(f"{at}/" + "long" * 60); info.size = size; t.addfile(info, io.BytesIO(noise[:size]))
`;

async function looksWhole(path: string, size: number) {
  const parent = openDirectory(dirname(path));
  return looksWholeBelow(parent, basename(path), size).finally(parent.close);
}

function npy(descr: string, shape: string, dataBytes: number, version = 1): Buffer {
  const header = Buffer.from(`{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`);
  const head = Buffer.from([0x93, ...Buffer.from('NUMPY'), version, 0]);
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  length.writeUIntLE(header.length, 0, length.length);
  return Buffer.concat([head, length, header, Buffer.alloc(dataBytes, 5)]);
}

function safetensors(): Buffer {
  const header = Buffer.from(
    `${JSON.stringify({
      __metadata__: { format: 'pt' },
      a: { dtype: 'F32', shape: [10, 10], data_offsets: [0, 400] },
      b: { dtype: 'F16', shape: [50], data_offsets: [400, 500] },
    })}   `,
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.alloc(500, 7)]);
}

/** Only what stands at its beginning, and as much after it as that says. */
function hdf5(version: number, bytes = 4000): Buffer {
  const file = Buffer.alloc(bytes, 9);
  Buffer.from('\x89HDF\r\n\x1a\n', 'latin1').copy(file);
  file[8] = version;
  file[version < 2 ? 13 : 9] = 8;
  file[11] = 0;
  file.writeBigUInt64LE(BigInt(bytes), version < 2 ? 40 + 4 * version : 28);
  return file;
}

function table(): Buffer {
  const blocks = Buffer.alloc(3000, 3);
  const footer = Buffer.alloc(48);
  // Where two blocks begin and how long they are, seven bits at a time: 200, 30; 2000, 995.
  Buffer.from([0xc8, 0x01, 30, 0xd0, 0x0f, 0xe3, 0x07]).copy(footer);
  TABLE_MAGIC.copy(footer, 40);
  return Buffer.concat([blocks, footer]);
}

/** The several pickles of old PyTorch files: a magic number, then more. */
const OLD_TORCH = Buffer.from('80028a0a6cfc9c46f9206aa850192e80024de9032e80025d712e', 'hex');

const BY_HAND: Readonly<Record<string, Buffer>> = {
  'f4.npy': npy('<f4', '(3, 100)', 1200),
  'u7.npy': npy('<U7', '(4,)', 112),
  'scalar.npy': npy('<M8[ns]', '()', 8, 2),
  'model.safetensors': safetensors(),
  'v0.h5': hdf5(0),
  'v1.h5': hdf5(1),
  'v2.h5': hdf5(2),
  'v3.h5': hdf5(3),
  'model.ckpt-1.index': table(),
};

const BY_PYTHON = [
  'stored.pt',
  'deflated.npz',
  'empty.zip',
  'nested.zip',
  'long.pt',
  ...['protocol2.pkl', 'protocol3.pkl', 'protocol4.pkl', 'protocol5.pkl', 'tiny.pkl'],
  ...['state.json', 'list.ckpt', 'state.json.gz', 'plain.tar', 'model.tgz'],
];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-formats-'));
  execFileSync('python3', ['-c', MAKE, directory]);
  for (const [name, bytes] of Object.entries(BY_HAND)) writeFileSync(join(directory, name), bytes);
});
afterAll(() => rmSync(directory, { recursive: true }));

const looks = (name: string, bytes: Buffer) => {
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return looksWhole(path, bytes.length);
};

/** A tar is padded after its end. */
function neededBytes(name: string, bytes: Buffer): number {
  if (name !== 'plain.tar') return bytes.length;
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  return Math.ceil(end / 512) * 512 + 1024;
}

describe.each([...BY_PYTHON, ...Object.keys(BY_HAND)])('%s', (name) => {
  test('looks whole when it is, and never when a piece of it is missing', async () => {
    const bytes = readFileSync(join(directory, name));
    expect(await looksWhole(join(directory, name), bytes.length)).toBe('whole');
    const random = seededRandom(3);
    const needed = neededBytes(name, bytes);
    const cuts = new Set<number>();
    for (let at = 0; at < 40; at++) cuts.add(at).add(needed - 1 - at);
    for (let count = 0; count < 150; count++) cuts.add(random.below(needed));
    const cut = join(directory, `cut-${name}`);
    writeFileSync(cut, bytes);
    for (const at of [...cuts].filter((at) => at >= 0 && at < needed).sort((one, other) => other - one)) {
      truncateSync(cut, at);
      expect([at, await looksWhole(cut, at)]).not.toEqual([at, 'whole']);
    }
    expect(await looksWhole(cut, 0)).toBe('broken');
  });
});

describe('what cannot be told', () => {
  test('is unknown', async () => {
    expect(await looks('notes.txt', Buffer.from('some words'))).toBe('unknown');
    expect(await looks('DONE', Buffer.alloc(0))).toBe('unknown');
    expect(await looks('events.out.tfevents.1', seededBytes(3000))).toBe('unknown');
    expect(await looks('metrics.jsonl', Buffer.from('{"a":1}\n'))).toBe('unknown');
    expect(await looks('log.json', Buffer.from('{"a":1}\n{"a":2}\n'))).toBe('unknown');
    expect(await looks('faiss.index', Buffer.from('IxF2 something else'))).toBe('unknown');
    expect(await looks('number.json', Buffer.from('123'))).toBe('unknown');
    expect(await looks('objects.npy', npy('|O', '(3,)', 100))).toBe('unknown');
    expect(await looks('two.npy', Buffer.concat([npy('<f4', '(1,)', 4), npy('<f4', '(1,)', 4)]))).toBe(
      'unknown',
    );
    expect(await looks('grown.h5', Buffer.concat([hdf5(0), Buffer.alloc(10)]))).toBe('unknown');
    expect(await looksWhole(join(directory, 'nothing'), 5)).toBe('unknown');
    expect(await looksWhole(directory, 5)).toBe('unknown');
    symlinkSync('stored.pt', join(directory, 'link.pt'));
    expect(await looksWhole(join(directory, 'link.pt'), 9)).toBe('unknown');
  });

  test('is unknown where pickles are mixed with other bytes, at every length', async () => {
    for (let at = 1; at <= OLD_TORCH.length; at++)
      expect(await looks('old.pth', OLD_TORCH.subarray(0, at))).not.toBe('whole');
    const joblib = `\x80\x04\x8c\x13joblib.numpy_pickleN.`;
    expect(await looks('a.joblib', Buffer.from(joblib, 'latin1'))).toBe('unknown');
  });

  test('is unknown while a file that has its final length is not filled yet', async () => {
    const path = join(directory, 'mapped.npy');
    const head = npy('<f4', '(250, 1000)', 0);
    writeFileSync(path, head);
    truncateSync(path, head.length + 1_000_000);
    expect(await looksWhole(path, head.length + 1_000_000)).toBe('unknown');
  });
});

test('what says that it is wrong is broken', async () => {
  expect(await looks('longer.safetensors', Buffer.concat([safetensors(), Buffer.alloc(1)]))).toBe('broken');
  const open = hdf5(3);
  open[11] = 1;
  expect(await looks('open.h5', open)).toBe('broken');
  expect(await looks('half.json', Buffer.from('{"a": [1, 2'))).toBe('broken');
  const grown = readFileSync(join(directory, 'stored.pt'));
  expect(await looksWhole(join(directory, 'stored.pt'), grown.length - 1)).toBe('broken');
});

test('noise behind any known beginning never looks whole and never throws', async () => {
  const random = seededRandom(9);
  const samples = Object.values(BY_HAND).concat(BY_PYTHON.map((name) => readFileSync(join(directory, name))));
  for (let round = 0; round < 300; round++) {
    const sample = random.pick(samples);
    const kept = sample.subarray(0, random.between(4, Math.min(64, sample.length)));
    expect(
      await looks('noise', Buffer.concat([kept, seededBytes(random.between(100, 2000), round)])),
    ).not.toBe('whole');
  }
});

function seededBytes(length: number, seed = 1): Buffer {
  const random = seededRandom(seed);
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}
