import { type Bar, ours } from '../targets.ts';

const groups = [
  { title: 'Cold start: load and first call', key: 'start' },
  { title: 'First call alone', key: 'first' },
] as const;

// The plot has its own background, because a page in dark mode would hide its text.
const style = `
  .page { fill: #fff } text { fill: #1f2328 } .other { fill: #afb8c1 } .ours { fill: #1a7f37 }
  .one { stroke: #1f2328; stroke-dasharray: 3 3 }
  .value { stroke: #fff; stroke-width: 5; paint-order: stroke }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .other { fill: #6e7681 } .ours { fill: #3fb950 }
    .one { stroke: #e6edf3 } .value { stroke: #0d1117 }
  }`;

/** Returns bars as an SVG, narrow enough for a phone. Shorter is better. */
export function plot(bars: Bar[]): string {
  const longest = Math.max(...bars.flatMap(({ start, first }) => [start.median, first.median]));
  const [left, scale] = [168, 180 / longest];
  const x = (ratio: number) => (left + ratio * scale).toFixed(1);
  const lines = [
    '<text x="16" y="28" font-size="16" font-weight="bold">CPU time of a create function</text>',
    '<text x="16" y="48">1 is a bare SDK command. Shorter is better.</text>',
  ];
  let y = 54;
  for (const { title, key } of groups) {
    y += 30;
    lines.push(
      `<text x="16" y="${y}" font-weight="bold">${title}</text>`,
      `<path class="one" d="M${x(1)} ${y + 8}v${bars.length * 26 + 4}"/>`,
    );
    for (const { name, [key]: ratio } of bars) {
      y += 26;
      const kind = name === ours ? 'ours' : 'other';
      const value = ratio.median.toFixed(2);
      lines.push(
        `<text x="${left - 8}" y="${y}" text-anchor="end">${name}</text>`,
        `<path class="${kind}" d="M${left} ${y - 14}H${x(ratio.median)}v19H${left}z"/>`,
        `<text class="value" x="${x(ratio.median)}" dx="6" y="${y}">${value}</text>`,
      );
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 ${y + 20}"
  font-family="system-ui, sans-serif" font-size="14">
<title>CPU time of a create function beside others. Shorter is better.</title>
<style>${style}
</style>
<rect class="page" width="100%" height="100%" rx="8"/>
${lines.join('\n')}
</svg>
`;
}
