/** Numbers one after another as a small curve in text, `▁▂▃▅█`: how something went, beside the figures. */

const HEIGHTS = [...'▁▂▃▄▅▆▇█'];

/** A cell for each, the highest full; or as high as it is of `full`. */
export function curve(values: readonly number[], full = Math.max(...values)): string {
  if (full <= 0) return (HEIGHTS[0] as string).repeat(values.length);
  const top = HEIGHTS.length - 1;
  return values.map((value) => HEIGHTS[Math.min(top, Math.round((value / full) * top))]).join('');
}

/** Not more than so many, each the highest of those that it stands for. */
export function thinned(values: readonly number[], most: number): readonly number[] {
  if (values.length <= most) return values;
  return Array.from({ length: most }, (_, i) => {
    const [from, to] = [i, i + 1].map((edge) => Math.floor((edge * values.length) / most));
    return Math.max(...values.slice(from, to));
  });
}
