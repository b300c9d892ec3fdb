/** What a file is by its name, which decides what a key in it proves. */

/**
 * `own`: of flagwright. `lock`: of a package manager, or a source map. `documentation`: says of a flag what people should know. These three are not
 * searched. `text`: a key in it is a mention. `data`: any program may read it for any purpose, so a key in it is a mention unless it stands in a
 * call, or the file says that it is about flags. `code`: all else.
 */
export type FileKind = (typeof ROWS)[number][0] | 'code';

/** The first row that fits counts. */
const ROWS = [
  ['lock', /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|Cargo\.lock)$/],
  ['lock', /(?:^|\/)(?:poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum|Podfile\.lock|pubspec\.lock)$/],
  ['lock', /(?:^|\/)(?:packages\.lock\.json|\.pnp\.[cm]?js)$|\.(?:js|mjs|cjs|css)\.map$/],
  // The configuration of any folder; and the journal with its neighbors, which git ignores.
  ['own', /(?:^|\/)flagwright\.ya?ml$|(?:^|\/)\.flagwright\/.*\.(?:jsonl?|db)$/],
  ['documentation', /\.(?:md|markdown|rst|adoc|asciidoc)$/],
  ['documentation', /(?:^|\/)(?:CHANGELOG|LICENSE|NOTICE|README)(?:\.txt)?$/i],
  ['text', /\.(?:mdx|txt|text|org|log|tex|rtf|css|s[ac]ss|less|svg)$/i],
  // Tables and reports of programs.
  ['text', /\.(?:csv|tsv|snap|sarif|har|tap|lcov|diff|patch)$/i],
  // Translations: files of formats that are for nothing else, and data in folders and of names that are.
  ['text', /\.(?:po|pot|xlf|xliff|arb|strings|stringsdict|xcstrings|resx|resw|ftl|tmx)$/i],
  [
    'text',
    /(?:^|\/)(?:_?locales?|i18n|l10n|lang|languages?|translations?)\/(?:.*\/)?[^/]*\.(?:json[5c]?|ya?ml|toml|properties|ini|xml)$/i,
  ],
  [
    'text',
    /(?:^|\/)(?:[\w-]+\.)?(?:messages|strings|translations?|locales?)(?:[._-][\w-]+)?\.(?:json[5c]?|ya?ml|properties|xml)$/i,
  ],
  [
    'text',
    /(?:^|[/.])(?:ar|bg|cs|da|de|el|en|es|fi|fr|he|hi|hu|ja|ko|nb|nl|pl|pt|ro|ru|sk|sv|tr|uk|vi|zh)(?:[-_](?:[A-Z]{2}|[A-Z][a-z]{3}))?\.(?:json[5c]?|ya?ml|properties)$/,
  ],
  [
    'data',
    /(?:^|\/)(?:_?locales?|i18n|l10n|lang|languages?|translations?)\/(?:.*\/)?[a-z]{2}(?:[-_][A-Za-z]{2,4})?\.[a-z]+$/,
  ],
  [
    'data',
    /\.(?:json[5cl]?|ndjson|webmanifest|ya?ml|toml|properties|ini|env|cfg|conf|xml|plist|xaml)$|(?:^|\/)\.env[^/]*$/i,
  ],
] as const satisfies readonly (readonly [string, RegExp])[];

export function kindOfFile(file: string): FileKind {
  return ROWS.find(([, names]) => names.test(file))?.[0] ?? 'code';
}

/** Nothing in it is code. */
export function isProse(kind: FileKind): boolean {
  return kind === 'text' || kind === 'documentation';
}
