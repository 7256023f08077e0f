import { readFileSync, realpathSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { attempt } from '../attempt.ts';

/**
 * Returns a function that makes the stacks in a log line point to the sources, if the code in the
 * folder has source maps (`FILE.map`). Maps are read when a stack is printed, because each thread
 * that read them at its start would need 20 MB.
 */
export function sourcePositions(folder: string): (line: string) => string {
  // If the folder is gone, no code runs that could print a stack. The thread reports the folder.
  const path = (attempt(() => realpathSync(folder)) ?? folder) + sep;
  // Stacks name an ES module by its URL. Most lines are JSON, which escapes Windows' separators.
  const prefixes = [JSON.stringify(path).slice(1, -1), pathToFileURL(path).href];
  const maps = new Map<string, SourceMap | undefined>();

  function position(place: string, file: string, line: string, column: string): string {
    if (!maps.has(file)) {
      maps.set(file, readMap(join(path, `${file}.map`)));
    }
    const map = maps.get(file);
    const origin = map?.findOrigin(Number(line), Number(column));
    if (!map || !origin || !('fileName' in origin)) {
      return place;
    }
    const root = map.payload.sourceRoot || pathToFileURL(path);
    // The map of a package may name its sources by addresses that are no files.
    const source = attempt(() => fileURLToPath(new URL(origin.fileName, root)));
    return source ? `${source}:${origin.lineNumber}:${origin.columnNumber}` : place;
  }

  const place = new RegExp(
    `(?:${prefixes.map(RegExp.escape).join('|')})([\\w./\\\\-]+):(\\d+):(\\d+)`,
    'g',
  );
  return (text) => text.replace(place, position);
}

const readMap = (file: string): SourceMap | undefined =>
  attempt(() => new SourceMap(JSON.parse(readFileSync(file, 'utf8'))));
