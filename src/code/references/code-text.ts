/** Decides from the bytes and the name of a file whether it is code that people wrote, and decodes it. */

import { tryParseJson } from '../../base/json-text.ts';
import { isJsonObject } from '../../base/json.ts';

export type CodeText =
  | { readonly kind: 'code'; readonly bytes: Uint8Array; readonly lines: number; readonly isUtf16: boolean }
  /** `bytes`: of code; absent for a document that names flags but is not code. */
  | { readonly kind: 'generated'; readonly bytes?: Uint8Array }
  | { readonly kind: 'binary' };

/** A text of more bytes is data. */
export const MOST_BYTES = 10_000_000;

/** The bytes at the beginning of a file that tell whether it is binary. */
export const HEAD_BYTES = 8000;

/** @returns A function that names the folder of dependencies that a file is in, if it is in one. */
export function dependencyFinder(files: readonly { readonly file: string }[]): (file: string) => string | undefined {
  // Only the file of the package manager tells a folder of dependencies from one of your own with such a name.
  const marked = files.flatMap(({ file }) => MARKED.exec(file)?.[1] ?? []);
  return (file) => DEPENDENCIES.exec(file)?.[0] ?? marked.find((folder) => file.startsWith(`${folder}/`));
}

/** At the top, `vendor` and `third_party` are such folders by convention. */
const DEPENDENCIES =
  /^(?:.*?\/)?(?:node_modules|bower_components|jspm_packages|site-packages|\.yarn)(?=\/)|^(?:vendor|third[-_]?party)(?=\/)/;

/** Of Go, Composer, Bundler and CocoaPods. */
const MARKED =
  /^(.*\/vendor(?=\/(?:modules\.txt|autoload\.php)$)|.*\/vendor\/bundle(?=\/ruby\/)|(?:.*\/)?Pods(?=\/Manifest\.lock$))/;

const MINIFIED = /[.-]min\.(?:js|mjs|cjs|css)$/;

/** `head`: the first bytes. A language that allows a zero in its code is code with it. */
export function isBinary(head: Uint8Array, file: string): boolean {
  return !SOURCE.test(file) && encodingOf(head) === 'bytes' && head.subarray(0, HEAD_BYTES).includes(0);
}

export function readCode(bytes: Uint8Array, file: string): CodeText {
  if (isBinary(bytes, file)) return { kind: 'binary' };
  const encoding = encodingOf(bytes);
  const text =
    encoding === 'bytes' ? withoutZeros(bytes) : new TextEncoder().encode(new TextDecoder(encoding).decode(bytes));
  let lines = text.length === 0 || text.at(-1) === NEW_LINE ? 0 : 1;
  for (let at = text.indexOf(NEW_LINE); at !== -1; at = text.indexOf(NEW_LINE, at + 1)) lines += 1;
  const head = Buffer.from(text.buffer, text.byteOffset, Math.min(text.length, MARK_BYTES)).toString('latin1');
  if (isOwnDocument(head, text)) return { kind: 'generated' };
  // Nobody writes lines that long.
  const isMinified = text.length > SMALL && text.length / Math.max(lines, 1) > LONG_LINE;
  if (MINIFIED.test(file) || isMinified || MARKS.some((mark) => mark.test(head)))
    return { kind: 'generated', bytes: text };
  return { kind: 'code', bytes: text, lines, isUtf16: encoding !== 'bytes' };
}

/** The bytes of any file without the zeros in between, such as those of UTF-32. */
export function withoutZeros(bytes: Uint8Array): Uint8Array {
  return bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes;
}

/** UTF-16 begins with a mark, or has a zero in most of its first pairs of bytes. */
function encodingOf(bytes: Uint8Array): 'bytes' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const pairs = Math.min(Math.floor(bytes.length / 2), MOST_PAIRS);
  const zeros = [0, 0];
  for (let at = 0; at < 2 * pairs; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] as number) + 1;
  const [even = 0, odd = 0] = zeros;
  if (pairs >= 4 && odd > 0.6 * pairs && even === 0) return 'utf-16le';
  return pairs >= 4 && even > 0.6 * pairs && odd === 0 ? 'utf-16be' : 'bytes';
}

const MOST_PAIRS = 500;

const NEW_LINE = 10;

const MARKS: readonly RegExp[] = [/^\W{0,10}@generated\b/m, /^\W{0,10}Code generated .* DO NOT EDIT/m];

/** What flagwright writes or reads names flags, but is no code: plans, seeds, reports, pages, manifests. Code that only begins so is code. */
function isOwnDocument(head: string, bytes: Uint8Array): boolean {
  const text = (): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return OWN.some(([begins, isWhole]) => begins.test(head) && isWhole(text()));
}

/** A page of a report or of the catalog. */
export function isOwnPage(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return PAGE.test(text.slice(0, MARK_BYTES)) && isPage(text);
}

const PAGE = /^<!doctype html>\s[^]*<meta name="generator" content="flagwright"\/>/;

/** How such a document begins, and what its whole text must be. */
const OWN: readonly (readonly [begins: RegExp, isWhole: (text: string) => boolean])[] = [
  [/^\s*\{\s*(?:"kind":\s*"snapshot",\s*)?"format_version":/, isJson],
  [/^\s*\{\s*"\$schema":\s*"[^"]*\/(?:flagwright\.dev\/schemas\/|open-feature\/|sarif-[^/"]*\.json")/, isJson],
  [/^\s*\[\s*\{\s*"description":\s*"(?:[^"\\]|\\.)*",\s*"check_name":/, isJson],
  [/^\{"kind":"begun","format_version":/, (text) => text.split('\n').every((line) => line === '' || isJson(line))],
  [
    /^\s*\{\s*"(?:flags|count|project_id|roles|role_access|cohorts|experiments|persons|groups|group_types|members)":|^\s*\[\s*\{\s*"(?:id|key|name)":/,
    listsFlags,
  ],
  [PAGE, isPage],
  [/^<\?xml [^>]*>\s*<testsuites name="flagwright"/, () => true],
  [/^(?:#.*\n|[ \t]*\n|---\n)*# yaml-language-server: \$schema=\S*\bflagwright\b\S*\/schemas\//, () => true],
  [/^(?:#.*\n|[ \t]*\n|---\n)*exceptions:/, (text) => !OTHER_MEMBER.exceptions.test(text)],
  [
    /^(?:#.*\n|[ \t]*\n|---\n|x-(?:.*\n)(?:[ \t].*\n)*)*(?:flags|cohorts|early_access|role_access):/,
    (text) => !OTHER_MEMBER.manifest.test(text) && FIELD.test(text),
  ],
];

/** It runs nothing, or the script of the catalog alone, whose policy lets it ask no service for flags. */
function isPage(text: string): boolean {
  const scripts = text.split(/<script\b/i).length - 1;
  return scripts === 0 || (scripts === 1 && CATALOG.test(text));
}

const CATALOG =
  /^<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name="generator" content="flagwright"\/><meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src '[^']*'; script-src '[^']*'; base-uri 'none'; form-action 'none'">/;

function isJson(text: string): boolean {
  return tryParseJson(text) !== undefined;
}

/** Flags as the service answers them, in a list or in a seed. */
function listsFlags(text: string): boolean {
  const value = tryParseJson(text);
  if (value === undefined) return false;
  const inObject = isJsonObject(value) ? value : {};
  const isListing = 'results' in inObject && 'count' in inObject;
  const isSeed = Object.keys(inObject).every((name) => SEED_MEMBERS.test(name));
  const flags = Array.isArray(value)
    ? value
    : isListing
      ? inObject['results']
      : isSeed
        ? (inObject['flags'] ?? [])
        : undefined;
  if (!Array.isArray(flags)) return false;
  const isOfFlags = flags.every((one) => isJsonObject(one) && typeof one['key'] === 'string');
  return (
    isOfFlags &&
    ((isSeed && !Array.isArray(value)) || flags.some((one) => isJsonObject(one) && isJsonObject(one['filters'])))
  );
}

const SEED_MEMBERS =
  /^(?:project_id|flags|roles|role_access|scheduled_changes|members|missing_features|lock_terraform_managed_rules|accepts_flag_rules|property_matching_version|approval_policies|cohorts|experiments|groups|group_types|persons|events)$/;

/** A member at the top that such a document does not have. */
const OTHER_MEMBER = {
  exceptions: /^(?!exceptions:|---$|[\s#-])./m,
  manifest: /^(?!(?:flags|cohorts|early_access|role_access|x-[\w-]+):|---$|[\s#])./m,
};

/** A field that a flag, a cohort or an early access feature has in a manifest, below its name. */
const FIELD =
  /[\s{](?:active|deleted|renamed_from|description|rollout_percentage|filters|variants|stage|role_access|only_in):\s/;

/** Names of files of programming languages. */
const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|erb|php|go|rs|java|kts?|scala|groovy|swift|mm?|cs|fs|vb|c|cc|cpp|h|hpp|dart|exs?|erl|lua|pl|pm|r|jl|clj[cs]?|elm|hs|sh|bash|ps1|sql|html?|hbs|ejs|ya?ml|toml|json|tf)$/i;

const SMALL = 5000;
const LONG_LINE = 1000;
const MARK_BYTES = 1000;
