import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..');

/** Where in a source something went wrong. Lines and columns begin with 1. */
interface Place {
  file: string;
  line: number;
  column: number;
}

/** A line of a stack that is about a file. */
interface Frame extends Place {
  /** The function, as Node names it. */
  name: string;
}

/** An error of esbuild: https://esbuild.github.io/api/#build-failures */
interface BuildMessage {
  text: string;
  /** Its column counts bytes, from 0. */
  location: { file: string; line: number; column: number; lineText: string } | null;
}

/**
 * Describes what failed while the stack was synthesized or its functions were bundled: the message,
 * its file, line and column, the line itself, and the frames of the stack outside node_modules.
 * `imported` is the URL of a module whose import may have failed.
 */
export function describeFailure(error: unknown, imported?: string): string {
  if (!(error instanceof Error)) {
    return `${String(error)} was thrown, which is no Error and so has no place.`;
  }
  // One line names the settings that are wrong.
  if (error.name === 'SettingsError') {
    return error.message;
  }
  const several = errorsIn(error);
  if (several.length > 0) {
    return several.join('\n');
  }
  const { stack = '' } = error;
  const frames = ownFrames(stack);
  let place = placeOfSyntax(stack) ?? placeOfImport(error) ?? frames[0];
  if (!place && imported !== undefined && error instanceof SyntaxError) {
    place = placeOfSyntax(uncaught(imported));
  }
  return [
    error.name === 'Error' ? error.message : `${error.name}: ${error.message}`,
    ...(place ? [textOf(place)] : []),
    ...frames.slice(place === frames[0] ? 1 : 0).map(textOfFrame),
    ...(error.cause === undefined ? [] : [`caused by ${describeFailure(error.cause)}`]),
  ].join('\n');
}

/** Describes the errors of which one of esbuild or an AggregateError consists. */
function errorsIn(error: Error): string[] {
  const { errors } = error as Partial<AggregateError>;
  return (Array.isArray(errors) ? errors : []).map((each: Error | BuildMessage) =>
    each instanceof Error ? describeFailure(each) : describeBuildMessage(each),
  );
}

function describeBuildMessage({ text, location }: BuildMessage): string {
  if (!location) {
    return text;
  }
  const { file, line, column, lineText } = location;
  const before = Buffer.from(lineText).subarray(0, column).toString();
  return `${text}\n${textOf({ file: resolve(root, file), line, column: before.length + 1 })}`;
}

/**
 * Imports a module in a process of its own and returns what it prints, because of the errors that
 * V8 finds in a module, Node names the place only if they end a process.
 */
const uncaught = (module: string) =>
  spawnSync(process.execPath, [fileURLToPath(module)], { encoding: 'utf8' }).stderr;

/** Reads what Node writes before the stack of a syntax error: the file, its line and carets. */
function placeOfSyntax(stack: string): Place | undefined {
  const [, file, line, carets] =
    /^((?:file:\/\/|\/|[A-Za-z]:\\).+):(\d+)\n(?:.*\n)*?([^\S\n]*)\^+$/m.exec(stack) ?? [];
  if (file === undefined || carets === undefined) {
    return undefined;
  }
  return { file: pathOf(file), line: Number(line), column: carets.length + 1 };
}

/** The codes of Node's errors about an import, whose stacks do not lead to it. */
const importCodes = [
  /^ERR_IMPORT_ATTRIBUTE/,
  /^ERR_INVALID_MODULE/,
  /^ERR_MODULE_NOT_FOUND/,
  /^ERR_PACKAGE/,
  /^ERR_UNKNOWN_BUILTIN_MODULE/,
  /^ERR_UNKNOWN_FILE_EXTENSION/,
  /^ERR_UNSUPPORTED_DIR_IMPORT/,
  /^ERR_UNSUPPORTED_ESM_URL/,
];

const importedName = /\b(?:from|import)\b\s*\(?\s*(['"])([^'"]+)\1/g;

/** Finds the import that an error of Node is about, which names the importing file at most. */
function placeOfImport({ code = '', message }: NodeJS.ErrnoException): Place | undefined {
  if (!importCodes.some((known) => known.test(code))) {
    return undefined;
  }
  const importer = / imported from (.+)$/.exec(message)?.[1];
  const files = importer ? [pathOf(importer)] : globSync('{lib,functions}/**/*.ts', { cwd: root });
  for (const file of files) {
    const path = resolve(root, file);
    for (const [i, text] of linesOf(path).entries()) {
      for (const { 2: name = '', index } of text.matchAll(importedName)) {
        if (isAbout(message, name, path)) {
          return { file: path, line: i + 1, column: text.indexOf(name, index) };
        }
      }
    }
  }
  return undefined;
}

/** Tells whether Node's message is about what a file imports under a name. */
function isAbout(message: string, name: string, importer: string): boolean {
  const says = (text: string) =>
    new RegExp(`(^|[\\s'"])${RegExp.escape(text)}(?=[\\s'"]|$)`).test(message);
  if (name.startsWith('.')) {
    const path = resolve(dirname(importer), name);
    return says(path) || says(pathToFileURL(path).href);
  }
  // Of `@scope/package/path`, Node may name the package alone, or its folder and `./path`.
  const [, owner = '', path = ''] = /^(@[^/]+\/[^/]+|[^/]+)(\/.+)?$/.exec(name) ?? [];
  const isPart = path !== '' && (says(owner) || (says(`.${path}`) && message.includes(owner)));
  return says(name) || isPart;
}

/** Packages, and this room, which is on the way to what fails. */
const others = [`${sep}node_modules${sep}`, `${import.meta.dirname}${sep}`];

const frame =
  /^ +at (?:async )?(?:(.*) \()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]+?):(\d+)(?::(\d+))?\)?$/;

/** Returns the frames of a stack that are about files of the project's own. */
function ownFrames(stack: string): Frame[] {
  return stack.split('\n').flatMap((text) => {
    const [, name = '', file = '', line, column = 1] = frame.exec(text) ?? [];
    const path = pathOf(file);
    if (path === '' || others.some((other) => path.includes(other))) {
      return [];
    }
    // CDK writes the place of a function without a name twice.
    const named = name.startsWith('file:') ? '' : name;
    return [{ name: named, file: path, line: Number(line), column: Number(column) }];
  });
}

/** Returns the path of a file that Node names by its path or by its URL. */
const pathOf = (file: string) => (file.startsWith('file:') ? fileURLToPath(file) : file);

/** Returns a place so that people can click on it, with its line and a caret. */
function textOf(place: Place): string {
  const where = `  at ${nameOf(place)}`;
  const line = linesOf(place.file)[place.line - 1];
  if (line === undefined) {
    return where;
  }
  // A tab is as wide in both lines.
  const caret = `${line.slice(0, place.column - 1).replace(/\S/g, ' ')}^`;
  return `${where}\n\n    ${line}\n    ${caret}\n`;
}

const textOfFrame = (frame: Frame) =>
  `  at ${frame.name ? `${frame.name} (${nameOf(frame)})` : nameOf(frame)}`;

function nameOf({ file, line, column }: Place): string {
  const path = file.startsWith(root + sep) ? relative(root, file) : file;
  return `${path}:${line}:${column}`;
}

/** Returns no lines if the file cannot be read. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
