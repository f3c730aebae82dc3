/** Numbers out of samples, and numbers for people. */

export function percentile(samples, share) {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

export const median = (samples) => percentile(samples, 0.5);

export const perSecond = (count, ms) => `${Math.round(count / (ms / 1000)).toLocaleString('en')}/s`;

export function milliseconds(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toPrecision(ms < 100 ? 2 : 3)} ms`;
}

export const megabytes = (bytes) => `${Math.round(bytes / 1024 ** 2)} MB`;

/** A share that may be far from 1: 0.72, 2.7, 63. */
export const ratio = (value) => (value >= 10 ? value.toFixed(0) : value.toPrecision(2));
