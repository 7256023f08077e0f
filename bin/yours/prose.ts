/** How words are joined at a place: by nothing in code, and by spaces in prose. */
export type Kind = 'code' | 'prose' | 'text';

/** A part of a file. A `text` is a string, which is prose if it holds a sentence. */
export interface Section {
  kind: Kind;
  text: string;
}

/** The one place whose strings are words of sentences, although each stands by itself. */
const fileOfNouns = 'functions/shared/table-schema.ts';
const nounsInIt = /(?<=\b(?:one|many): )'[^']*'/g;

/** Splits a file into code, strings and sentences. */
export function sectionsOf(path: string, content: string): Section[] {
  if (path === fileOfNouns) {
    return sectionsBetween(content, nounsInIt, 'code', () => 'prose').flatMap((section) =>
      section.kind === 'code' ? scriptSections(section.text) : [section],
    );
  }
  const extension = /\.\w+$/.exec(path)?.[0] ?? '';
  switch (extension) {
    case '.md':
      return markdownSections(content);
    case '.ts':
    case '.js':
    case '.mjs':
      return scriptSections(content);
    case '.json':
      return sectionsBetween(content, /"(?:[^"\\\n]|\\.)*"/g, 'code', () => 'text');
    case '.html':
    case '.svg':
      return [{ kind: 'text', text: content }];
    default:
      // Shell, Python, YAML and the files whose names begin with a dot.
      return sectionsBetween(
        content,
        /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?<=^|\s)#.*$/gm,
        'code',
        (found) => (found.startsWith('#') ? 'prose' : 'text'),
      );
  }
}

function sectionsBetween(
  content: string,
  pattern: RegExp,
  between: Kind,
  kindOf: (found: string) => Kind,
): Section[] {
  const sections: Section[] = [];
  let end = 0;
  for (const { 0: found, index } of content.matchAll(pattern)) {
    sections.push({ kind: between, text: content.slice(end, index) });
    sections.push({ kind: kindOf(found), text: found });
    end = index + found.length;
  }
  sections.push({ kind: between, text: content.slice(end) });
  return sections;
}

/** Blocks of commands, spans of code, and the targets of links. */
const codeInMarkdown = /^```[^\n]*\n[\s\S]*?^```|`[^`]+`|(?<=\])\([^)\n]*\)/gm;

const markdownSections = (content: string): Section[] =>
  sectionsBetween(content, codeInMarkdown, 'prose', (found) =>
    // Quoted messages end in a full stop.
    /^`[A-Z][^`]* [^`]*\.`$/.test(found) ? 'prose' : 'code',
  );

const comment = /\/\/.*|\/\*[\s\S]*?\*\//y;
const string = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y;
/** A slash begins an expression after what cannot end a value. */
const expression =
  /(?<=(?:^|[(,=:[!&|?{};>])\s*)\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y;
/** The text of a template, up to its end or to a value in it. */
const template = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)?/y;

function scriptSections(content: string): Section[] {
  const sections: Section[] = [];
  let code = '';
  let at = 0;
  /** How many braces are open in each template's value that surrounds the place. */
  const values: number[] = [];

  function addCode(character: string): void {
    code += character;
    at += 1;
  }
  /** Ends the code before. */
  function add(kind: Kind, text: string): void {
    if (code) {
      sections.push({ kind: 'code', text: code });
    }
    code = '';
    sections.push({ kind, text });
    at += text.length;
  }
  function countBrace(character: string): void {
    const open = values.pop();
    if (open !== undefined) {
      values.push(open + ({ '{': 1, '}': -1 }[character] ?? 0));
    }
  }
  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(content)?.[0];
  }
  function addTemplate(): void {
    const text = match(template) ?? '';
    add('text', text);
    if (text.endsWith('${')) {
      values.push(0);
    }
  }

  while (at < content.length) {
    const commented = match(comment);
    const quoted = match(string) ?? match(expression);
    const character = content.charAt(at);
    if (commented) {
      for (const { kind, text } of sectionsBetween(commented, /`[^`]*`/g, 'prose', () => 'code')) {
        add(kind, text);
      }
    } else if (quoted) {
      add('text', quoted);
    } else if (character === '`') {
      addCode(character);
      addTemplate();
    } else if (character === '}' && values.at(-1) === 0) {
      values.pop();
      addCode(character);
      addTemplate();
    } else {
      countBrace(character);
      addCode(character);
    }
  }
  if (code) {
    sections.push({ kind: 'code', text: code });
  }
  return sections;
}
