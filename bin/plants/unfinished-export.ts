import {
  createReadStream,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { AdministrationError } from '../administration/administration-error.ts';
import { isAlive } from '../command-line/running.ts';
import { fromLine, readLines } from './lines.ts';

const origin = v.strictObject({ owner: v.string(), table: v.string(), tableId: v.string() });

/** Whose plants an export holds, and from which table. */
export type Origin = v.InferOutput<typeof origin>;

/**
 * Begins an export to a file, or continues one of the same origin. Until it is finished it lies in
 * the folder `FILE.part`, beside its origin, under the id of the process that writes it. Returns
 * the path to append to, what it holds already, and what gives the export its name if it has so
 * many bytes. Nothing is ever replaced.
 */
export async function openUnfinishedExport(file: string, origin: Origin) {
  if (exists(file))
    throw new AdministrationError(`${file} exists: choose another name, or remove it.`);
  const folder = `${file}.part`;
  const path = join(folder, nameOf(process.pid));
  if (exists(folder) || !begin(folder, origin)) claim(folder, path, origin);
  const held = await readWholePlants(path);
  truncateSync(path, held.bytes);
  return { path, ...held, finish: (bytes: number) => finish(folder, path, file, bytes) };
}

const about = 'export.json';
const nameOf = (pid: number) => `${pid}.jsonl`;
const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Makes the folder with its files at once. Returns false if another process was faster. */
function begin(folder: string, origin: Origin): boolean {
  // Other users of the machine may not read it.
  const draft = mkdtempSync(`${folder}-`);
  writeFileSync(join(draft, about), JSON.stringify(origin));
  writeFileSync(join(draft, nameOf(process.pid)), '', { mode: 0o600 });
  try {
    renameSync(draft, folder);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (exists(folder)) return false;
    throw error;
  }
}

/** Takes over the export that a process left. Throws if it has another origin or is in progress. */
function claim(folder: string, path: string, origin: Origin): void {
  const found = lstatSync(folder).isDirectory() ? originIn(folder) : undefined;
  const left = found && readdirSync(folder).find((name) => /^\d+\.jsonl$/.test(name));
  if (!left)
    throw new AdministrationError(
      `${folder} is not an unfinished export: choose another name, or remove it.`,
    );
  if (JSON.stringify(found) !== JSON.stringify(origin))
    throw new AdministrationError(
      `${folder} is an unfinished export of ${found.owner} from ${found.table} ` +
        `(${found.tableId}): continue that one, choose another name, or remove it.`,
    );
  const inUse = (process: string) =>
    new AdministrationError(
      `${process} is writing ${folder}. Wait until it ends. If it is another program, remove ` +
        'that folder.',
    );
  const writer = Number.parseInt(left, 10);
  if (writer !== process.pid && isAlive(writer)) throw inUse(`process ${writer}`);
  try {
    // Of several processes one succeeds.
    renameSync(join(folder, left), path);
  } catch {
    throw inUse('another process');
  }
  // This export was finished, and only its folder was left.
  if (statSync(path).nlink > 1) {
    rmSync(path);
    writeFileSync(path, '', { mode: 0o600 });
  }
}

const originIn = (folder: string) =>
  attempt(() => v.parse(origin, JSON.parse(readFileSync(join(folder, about), 'utf8'))));

/** Reads plants up to the first line that no export wrote, as after a power failure. */
async function readWholePlants(path: string) {
  const held = { plants: 0, bytes: 0, last: undefined as bigint | undefined };
  for await (const { text, bytes, isWhole } of readLines(createReadStream(path))) {
    const id = isWhole ? attempt(() => fromLine(text ?? '').id) : undefined;
    if (id === undefined || (held.last !== undefined && id <= held.last)) break;
    held.plants += 1;
    held.bytes += bytes;
    held.last = id;
  }
  return held;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function finish(folder: string, path: string, file: string, bytes: number): void {
  if (statSync(path).size !== bytes)
    throw new AdministrationError(`another program wrote into ${path}. Repeat the command.`);
  try {
    linkSync(path, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'EEXIST' ? `${file} exists by now` : message;
    throw new AdministrationError(`${what}. The complete export is ${path}: move it elsewhere.`);
  }
  rmSync(folder, { recursive: true });
}
