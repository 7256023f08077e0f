/** Lines over a common x axis. It becomes docs/proof-NAME.svg. */
export interface Plot {
  name: string;
  title: string;
  /** What the axes show, with their units. */
  x: string;
  y: string;
  /** Whether the x axis has powers of ten. */
  isLogarithmic?: boolean;
  lines: { name: string; points: [x: number, y: number][] }[];
}

const [width, height, left, top, right, bottom] = [720, 300, 64, 40, 150, 48];
const colours = ['#2e7d32', '#1565c0', '#c62828', '#6a1b9a'];

interface Axis {
  ticks: number[];
  /** From 0 to 1. */
  placeOf: (value: number) => number;
}

/** Returns an axis that begins at 0. */
function linear(values: number[]): Axis {
  const max = Math.max(...values, 1e-9);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => part * max);
  return { ticks, placeOf: (value) => value / max };
}

/** Returns an axis of powers of ten. */
function logarithmic(values: number[]): Axis {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const steps = Math.max(Math.ceil(Math.log10(Math.max(...values))) - from, 1);
  const ticks = Array.from({ length: steps + 1 }, (_, i) => 10 ** (from + i));
  return { ticks, placeOf: (value) => (Math.log10(value) - from) / steps };
}

/** Returns a plot as an SVG. */
export function linePlot({ title, x, y, isLogarithmic, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points);
  const xAxis = (isLogarithmic ? logarithmic : linear)(points.map(([value]) => value));
  const yAxis = linear(points.map(([, value]) => value));
  const toX = (value: number) => left + xAxis.placeOf(value) * (width - left - right);
  const toY = (value: number) => height - bottom - yAxis.placeOf(value) * (height - top - bottom);
  const label = (value: number) => `${Number(value.toPrecision(3))}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"
  font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="white"/>
<text x="${left}" y="20" font-size="14">${title}</text>
${yAxis.ticks
  .map((tick) => {
    const at = toY(tick).toFixed(1);
    return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#ddd"/>
<text x="${left - 6}" y="${at}" text-anchor="end" dy="4">${label(tick)}</text>`;
  })
  .join('\n')}
${xAxis.ticks
  .map((tick) => {
    const at = `x="${toX(tick).toFixed(1)}" y="${height - bottom + 18}"`;
    return `<text ${at} text-anchor="middle">${label(tick)}</text>`;
  })
  .join('\n')}
<text x="${left}" y="${height - 10}">${x}</text>
<text x="${left}" y="${top - 6}" font-size="11">${y}</text>
${lines
  .map(({ name, points: line }, i) => {
    const colour = colours[i % colours.length];
    const path = line.map(([px, py]) => `${toX(px).toFixed(1)},${toY(py).toFixed(1)}`).join('\n');
    const at = `x="${width - right + 6}" y="${top + 18 * i}"`;
    return `<polyline fill="none" stroke="${colour}" points="\n${path}"/>
<text ${at} dy="4" fill="${colour}">${name}</text>`;
  })
  .join('\n')}
</svg>
`;
}
