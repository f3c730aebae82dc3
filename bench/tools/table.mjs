/** The one table, as Markdown that also reads well in a terminal. */

const HEAD = ['what', 'figure', 'against', 'ratio'];

export function renderTable(rows) {
  const cells = [HEAD, ...rows.map((row) => [row.what, row.figure, row.against ?? '', row.ratio ?? ''])];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => [...line[column]].length)));
  const render = (line) => `| ${line.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return `${[render(cells[0]), rule, ...cells.slice(1).map(render)].join('\n')}\n`;
}
