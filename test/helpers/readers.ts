/** Readers of our formats that others wrote: their schemas and parsers, and the rules of GitHub and GitLab, which publish neither. */

import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import AjvDraft04 from 'ajv-draft-04';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { elementsOf, parseXml, textOf, type XmlElement } from './xml.ts';

const SCHEMAS = new URL('../fixtures/schemas/', import.meta.url);

const isSarif = new AjvDraft04.default({
  allErrors: true,
  // One of its patterns is none in Unicode mode.
  unicodeRegExp: false,
  formats: {
    uri: (text: string) => URL.canParse(text),
    'uri-reference': (text: string) => /^[\w.~%!$&'()*+,;=:@/?#-]+$/.test(text),
    'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  },
}).compile(JSON.parse(readFileSync(new URL('sarif-2.1.0-rtm.5.json', SCHEMAS), 'utf8')) as object);

/** Empty if the schema of the standard accepts the log. */
export function sarifErrors(text: string): readonly string[] {
  return errorsOf(isSarif, text);
}

/** What GitLab's documentation asks for: a list, paths of the repository without `./`, and one of five severities. */
const isCodeQuality = new Ajv({ allErrors: true }).compile({
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', minLength: 1 },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string', pattern: '^(?!/|\\.\\.?/).' },
          lines: { type: 'object', required: ['begin'], properties: { begin: { type: 'integer', minimum: 1 } } },
        },
      },
    },
  },
});

export function gitlabErrors(text: string): readonly string[] {
  return errorsOf(isCodeQuality, text);
}

function errorsOf(validate: ValidateFunction, text: string): readonly string[] {
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(({ instancePath, message = '' }: ErrorObject) => `${instancePath} ${message}`);
}

const JUNIT = readFileSync(new URL('junit-10.xsd', SCHEMAS), 'utf8');

/** Empty if Jenkins' schema accepts each document, in the eyes of libxml2. */
export async function junitErrors(...documents: readonly string[]): Promise<readonly string[]> {
  const xml = documents.map((contents, index) => ({ fileName: `${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema: JUNIT, maxMemoryPages: 16_384 });
  return errors.map(({ rawMessage }) => rawMessage);
}

/**
 * What GitHub's flavour of Markdown makes of a document is ours: headings, lists and code. `mark` is in strings of others, which
 * are code and nothing else; links lead to the pages of flags.
 */
export function expectOnlyCode(markdown: string, mark: string): void {
  const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
  const visit = (element: XmlElement): void => {
    expect(OURS).toContain([element.name, ...Object.keys(element.attributes)].join(' '));
    const { class: language = 'language-text', href = PAGES[0] } = element.attributes;
    expect(language).toMatch(/^language-(?:text|diff)$/);
    expect(PAGES.some((page) => href?.startsWith(page))).toBe(true);
    if (element.name === 'code') return;
    for (const child of element.children) {
      if (typeof child !== 'string') visit(child);
      // A mention or a reference to an issue is one outside of code only.
      else expect(child.includes(mark) || /[@#]\w/.test(child) ? child : '').toBe('');
    }
  };
  for (const child of parseXml(`<body>${html}</body>`).children) if (typeof child !== 'string') visit(child);
}

/** With their attributes. */
const OURS = [
  'h3',
  'h4',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'p',
  'strong',
  'em',
  'ul',
  'ol',
  'li',
  'pre',
  'code',
  'code class',
  'a href',
  'details',
  'summary',
];
const PAGES = ['https://us.posthog.com/project/'];

export interface WorkflowCommand {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** The commands that a runner of GitHub Actions takes from a log, decoded as it decodes them. */
export function workflowCommands(log: string): readonly WorkflowCommand[] {
  return log.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, command, written = '', data = ''] = /^\s*::([^\s:]+)(?: +((?:(?!::).)*))?::(.*)$/.exec(line) ?? [];
    if (command === undefined) return [];
    const properties = written
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one.includes('='))
      .map((one) => {
        const at = one.indexOf('=');
        return [one.slice(0, at), decode(one.slice(at + 1), { ...ENCODED, '%3A': ':', '%2C': ',' })] as const;
      });
    return [{ command, properties: Object.fromEntries(properties), data: decode(data, ENCODED) }];
  });
}

const ENCODED: Readonly<Record<string, string>> = { '%0D': '\r', '%0A': '\n' };

/** The percent sign last, since what it makes is not decoded again. */
function decode(text: string, encoded: Readonly<Record<string, string>>): string {
  return Object.entries({ ...encoded, '%25': '%' }).reduce(
    (read, [code, character]) => read.replaceAll(code, character),
    text,
  );
}

/** The sentences of a document, as its reader decodes them. */
export const SENTENCES: Readonly<Record<'github' | 'gitlab' | 'sarif' | 'junit', (text: string) => readonly string[]>> =
  {
    github: (text) => workflowCommands(text).map(({ data }) => data),
    gitlab: (text) => (JSON.parse(text) as { description: string }[]).map(({ description }) => description),
    sarif: (text) => {
      const { runs } = JSON.parse(text) as { runs: { results: { message: { text: string } }[] }[] };
      return runs.flatMap(({ results }) => results.map(({ message }) => message.text));
    },
    junit: (text) => {
      const root = parseXml(text);
      const elements = ['failure', 'error', 'skipped'].flatMap((name) => elementsOf(root, name));
      return elements.map((element) => [element.attributes['message'] ?? '', textOf(element)].join('\n'));
    },
  };
