/** The sentences about code that reads flags, about flags that may go, and about what generated files cannot say. */

import { listed, docsPage } from '../../base/wording.ts';
import type { ReadingPlace } from '../../core/engine/safety.ts';
import type { ManifestNote } from '../../code/generate/openfeature.ts';
import type { GenerationNote } from '../../code/generate/typescript.ts';
import type { Readers, ReadLoss } from '../../code/references/losses.ts';
import type { ReferenceForm, SkippedFiles } from '../../code/references/reference.ts';
import type {
  Holder,
  NextStep,
  SignalName,
  StaleFlag,
  Tendency,
  JudgedFlag,
  Standing,
} from '../../code/references/staleness.ts';
import type { ReferenceCounts, StaleReport } from '../../code/references/reports.ts';
import type { FlagUse, Gap, OfRepository } from '../../code/references/use.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { count, keysText } from './amounts.ts';
import { readsText } from './rules.ts';

/** What the flag is, and what code that reads it gets. */
export const STANDING_WORDS: Readonly<Record<Standing, { readonly is: string; readonly gets?: string }>> = {
  active: { is: 'active' },
  disabled: { is: 'disabled', gets: 'every read answers false' },
  rolled_out: { is: 'rolled out to everyone', gets: 'every read has the same answer' },
  deleted: { is: 'deleted', gets: 'every read answers false or nothing' },
  renamed: { is: 'renamed', gets: 'reads of its former key answer false or nothing' },
  undeclared: { is: 'not declared' },
};

export const FORM_WORDS: Readonly<Record<ReferenceForm, string>> = {
  call: 'call of the SDK',
  accessor: 'generated accessor',
  pattern: 'pattern of the configuration',
  string: 'string',
  constant: 'constant',
  text: 'text',
};

const SKIPPED_WORDS: Readonly<Record<keyof SkippedFiles, readonly [one: string, several: string]>> = {
  binary: ['binary file', 'binary files'],
  generated: ['generated or minified file', 'generated or minified files'],
  large: ['file of more than 10 MB', 'files of more than 10 MB'],
  unreadable: ['unreadable file', 'unreadable files'],
  submodules: ['submodule', 'submodules'],
  documentation: ['page of documentation', 'pages of documentation'],
  dependencies: ['folder of dependencies', 'folders of dependencies'],
};

/** `12 binary files, 1 submodule`; empty if every file was searched. */
export function skippedText(skipped: SkippedFiles): string {
  return (Object.keys(SKIPPED_WORDS) as (keyof SkippedFiles)[])
    .map((why) => [skipped[why]?.length ?? 0, SKIPPED_WORDS[why]] as const)
    .filter(([amount]) => amount > 0)
    .map(([amount, words]) => count(amount, ...words))
    .join(', ');
}

export function gapText(gap: Gap): string {
  switch (gap.code) {
    case 'files_not_searched':
      return `${sourceText(gap)}${count(gap.files.length, ...SKIPPED_WORDS[gap.why])} not searched: ${filesText(gap.files)}`;
    case 'key_not_searched':
      return `${sourceText(gap)}the key was not searched for`;
    case 'code_hidden':
      return `${filesText(gap.files)} read it before, and not searched since`;
    case 'source_edited':
      return `${sourceText(gap)}${quoteShort(gap.file)} named it before, and was edited since`;
    case 'no_reader_found':
      return 'no code that was searched reads a flag, so it is probably elsewhere';
    case 'repository_not_searched':
      return `this repository was not searched: ${escapeLine(gap.detail)}`;
    case 'source_missing':
      return `${sourceText(gap)}${quoteShort(gap.file)} does not exist`;
    case 'source_unreadable':
      return `${sourceText(gap)}${quoteShort(gap.file)} cannot be read: ${escapeLine(gap.detail)}`;
    case 'source_renamed':
      return `${sourceText(gap)}${quoteShort(gap.file)} has the references of ${quoteShort(gap.found)}`;
    case 'source_old':
      return `${sourceText(gap)}${quoteShort(gap.file)} is ${count(gap.days, 'day')} old; the limit is ${count(gap.max_days, 'day')}`;
  }
}

export function gapRemedy(gap: Gap): string {
  switch (gap.code) {
    case 'files_not_searched':
      return gap.why === 'submodules'
        ? 'If they do not read flags, add them to `refs.ignore`.'
        : 'If they are not code, add them to `refs.ignore`; otherwise make them readable.';
    case 'key_not_searched':
      return 'A key is searched for if it consists of letters, digits, `_` and `-`; in another repository, export again with the current keys.';
    case 'code_hidden':
      return 'Remove what reads the flag, or the files.';
    case 'no_reader_found':
      return 'Run `flagwright refs export` in the repositories that have the code, and name the documents that it writes in `refs.sources`.';
    case 'repository_not_searched':
      return 'Make `git status` work in this folder.';
    case 'source_edited':
    case 'source_missing':
    case 'source_unreadable':
    case 'source_old':
      return 'Run `flagwright refs export` in that repository, and get its document.';
    case 'source_renamed':
      return 'If the repository was renamed, correct `refs.sources`.';
  }
}

export function filesText(files: readonly string[]): string {
  const shown = files.slice(0, MOST_FILES).map((file) => quoteShort(file));
  return [...shown, ...(files.length > MOST_FILES ? [`${files.length - MOST_FILES} more`] : [])].join(', ');
}

const MOST_FILES = 3;

export function sourceText({ repository }: OfRepository): string {
  return repository === undefined ? '' : `${escapeLine(repository)}: `;
}

/** Why it is not said that nothing reads the flag. The gaps that concern every key are warnings of the report. */
export function unclearText({ verdict, references, indirect, loose, gaps }: FlagUse): string {
  switch (verdict) {
    case 'unknown':
      return ['not all code was searched', ...gaps.filter((gap) => gap.code === 'key_not_searched').map(gapText)].join(
        '; ',
      );
    case 'possible':
      return references.length > 0
        ? `named in ${count(references.length, 'place')}, of which none reads it for certain`
        : `its key is an ordinary word, which occurs ${count(loose, 'time')} outside quotes`;
    case 'indirect':
      return `${count(indirect.length, 'place')} may make its key at run time`;
    case 'read':
    case 'not_found':
      return verdict;
  }
}

/** What the search cannot see. */
export const NOT_FOUND_HINT = `Keys that are encoded, cut inside a word or joined from single words are not found, nor those from a database: ${docsPage('references')}`;

/** `References: 30 of 38 flags read · 2 not found · 1 not known · 1 key read but not declared · 2 still read`. */
export function referencesSummary(flags: readonly JudgedFlag[], counts: ReferenceCounts): string {
  const { read, notFound, unclear, unknownReads, stillRead } = counts;
  const parts = [
    `${read} of ${count(flags.length, 'flag')} read`,
    ...(notFound === 0 ? [] : [`${notFound} not found`]),
    ...(unclear === 0 ? [] : [`${unclear} not known`]),
    ...(unknownReads === 0 ? [] : [`${count(unknownReads, 'key')} read but not declared`]),
    ...(stillRead === 0 ? [] : [`${stillRead} still read`]),
  ];
  return `References: ${parts.join(' · ')}`;
}

/** `undefined` if nothing was found. */
export function readLossText(loss: ReadLoss): string | undefined {
  const { hidden, edited } = loss;
  const unknown = 'so nobody knows whether code still reads it';
  const texts = [
    foundText(loss),
    hidden &&
      `${filesText(hidden)} read it before, and this change takes ${hidden.length === 1 ? 'it' : 'them'} out of the search, ${unknown}`,
    edited && `${filesText(edited)} named it before, and this change edits that, ${unknown}`,
  ].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('; ');
}

function foundText({ verdict, searched, references, indirect, ...loss }: ReadLoss): string | undefined {
  const certain = references.filter((one) => one.certain);
  if (certain.length > 0) return `code reads it at ${placesText(certain)}${variantsText(loss, certain)}`;
  if (references.length > 0) return `code may read it at ${placesText(references)}${variantsText(loss, references)}`;
  if (indirect.length > 0) return `${count(indirect.length, 'place')} of code may make its key at run time`;
  if (!searched) return 'it is not known whether code reads it: not all code was searched for this key';
  return verdict === 'possible' ? 'its key is an ordinary word, which code uses' : undefined;
}

function placesText(found: readonly ReadingPlace[]): string {
  return readsText({ count: found.length, places: found.slice(0, MOST_PLACES) });
}

const MOST_PLACES = 3;

/** Names only the lines that name a variant: the others prove nothing. */
function variantsText({ variants = [] }: Pick<ReadLoss, 'variants'>, found: ReadLoss['references']): string {
  const naming = found.filter((one) => one.variants !== undefined);
  if (variants.length === 0 || naming.length === 0) return '';
  const what = variants.length === 1 ? 'the variant that goes' : 'a variant that goes';
  return `; ${naming.length === 1 ? 'this line names' : 'these lines name'} ${what}: ${placesText(naming)}`;
}

/** The statement that some code was not searched; `undefined` if all was. */
export function unsearchedText({ gaps }: Readers): string | undefined {
  if (gaps.length === 0) return undefined;
  const shown = gaps.slice(0, MOST_GAPS).map(gapText);
  const hidden = gaps.length - shown.length;
  const more = hidden === 0 ? '' : `; and ${count(hidden, 'more reason')}`;
  return `Not all code was searched, so more may read what changes (${shown.join('; ')}${more})`;
}

const MOST_GAPS = 3;

/** `title`: the heading. `what`: a sentence without any value, for tasks as well. */
export const STEP_WORDS: Readonly<Record<NextStep, { readonly title: string; readonly what: string }>> = {
  none: { title: 'Nothing to do', what: 'Keep the flag: the evidence is not enough for any step.' },
  wait: {
    title: 'Wait for calls to be known',
    what: 'No code was found that reads the flag, but it is not known whether deployed code still calls it. Change nothing yet.',
  },
  find_out: {
    title: 'Find out whether code reads the flag',
    what: 'Make the search of the code complete (see `flagwright refs`), and run `flagwright stale` again.',
  },
  decide: {
    title: 'Decide which answer stays',
    what: 'Code reads the flag, and people get different answers. Roll it out to everyone, or turn it off; then the code can go.',
  },
  remove_code: {
    title: 'Remove the flag from the code',
    what: 'Everyone gets the same answer. Remove the reads from the code, and keep what that answer leads to.',
  },
  deploy: {
    title: 'Deploy, and wait until calls end',
    what: 'No code was found that reads the flag, but something still calls it. Deploy the code without it everywhere, and find what else calls it.',
  },
  release: {
    title: 'End what uses the flag',
    what: 'Something in the service still uses the flag. End that use first.',
  },
  disable: { title: 'Disable', what: 'Set `active: false`, then run `flagwright plan` and apply after review.' },
  archive: {
    title: 'Archive',
    what: 'Set `fields: { archived: true }`, then run `flagwright plan` and apply after review.',
  },
  delete: { title: 'Delete', what: 'Set `deleted: true`, then run `flagwright plan` and apply after review.' },
};

/** What each tendency of a signal means, without any value. */
export const SIGNAL_WORDS: Readonly<Record<SignalName, Readonly<Record<Tendency, string>>>> = {
  code: {
    for: 'no code was found that reads it',
    against: 'code reads it',
    unknown: 'it is not known whether code reads it',
  },
  calls: {
    for: 'nothing has called it lately',
    against: 'something called it lately',
    unknown: 'it is not known whether anything calls it',
  },
  answer: {
    for: 'everyone gets the same answer',
    against: 'people get different answers',
    unknown: 'it is not known what people get',
  },
  age: {
    for: 'nobody has changed it lately',
    against: 'it was changed lately',
    unknown: 'it is not known when it was changed',
  },
  expiry: { for: 'its last day has passed', against: 'its last day is ahead', unknown: 'it has no last day' },
};

const HOLDER_WORDS: Readonly<Record<Holder['what'], readonly [one: string, several: string]>> = {
  flags: ['flag with a condition on it', 'flags with a condition on it'],
  experiments: ['experiment', 'experiments'],
  early_access_features: ['early access feature', 'early access features'],
  surveys: ['survey', 'surveys'],
  session_replay: ['use in the settings of session replay', 'uses in the settings of session replay'],
};

/** `not_called: 2026-01-01 in production (STALE: …)`; the values of others are escaped. */
export function signalText(flag: StaleFlag, name: SignalName): string {
  const words = SIGNAL_WORDS[name][flag.signals[name]];
  const detail = DETAILS[name](flag);
  return detail === '' ? words : `${words}: ${detail}`;
}

const DETAILS: Readonly<Record<SignalName, (flag: StaleFlag) => string>> = {
  code: ({ use }) => {
    if (use.verdict === 'not_found') return '';
    const certain = use.references.filter((reference) => reference.certain).length;
    return use.verdict === 'read' ? count(certain, 'place') : unclearText(use);
  },
  calls: ({ live }) =>
    live
      .map(({ project, status, reason, last_called_at: called }) => {
        const when =
          called === undefined
            ? []
            : [called === null ? 'never called' : `last called ${escapeLine(called.slice(0, 10))}`];
        const said =
          status === undefined
            ? []
            : [`${quoteShort(status)}${reason === undefined ? '' : `, “${quoteShort(reason)}”`}`];
        return `${quoteShort(project)} ${[...when, ...said].join(', ') || 'does not report calls'}`;
      })
      .join('; '),
  answer: ({ answer }) => {
    if (answer === undefined) return '';
    if (typeof answer === 'string') return `variant ${quoteShort(answer)}`;
    return answer ? 'on' : 'off';
  },
  age: ({ changed }) =>
    changed === undefined ? '' : `last change ${escapeLine(changed.at.slice(0, 10))} (${changed.by})`,
  expiry: ({ expires }) => (expires === undefined ? '' : escapeLine(expires)),
};

export function holderText({ project, what, names }: Holder): string {
  return `${count(names.length, ...HOLDER_WORDS[what])} in ${quoteShort(project)}: ${keysText(names)}`;
}

const OWNER_WORDS = { tag: 'tag', code_owners: 'CODEOWNERS', git: 'declared it', service: 'created it' } as const;

export function ownerText({ owner }: StaleFlag): string {
  return owner === undefined ? 'no owner known' : `${quoteShort(owner.name)} (${OWNER_WORDS[owner.by]})`;
}

/** `Stale: 3 of 40 flags have a next step · 5 requests`. */
export function staleSummary({ flags, judged, requests }: StaleReport): string {
  const open = flags.filter(({ step }) => step !== 'none').length;
  return `Stale: ${open} of ${count(judged, 'flag')} with a next step · ${count(requests, 'request')}`;
}

export function unaskedText({ unasked }: StaleReport): string {
  return unasked
    .map(
      ({ name, isForbidden }) =>
        `${quoteShort(name)} (${isForbidden === true ? 'the API key cannot read its flags' : 'not chosen by --project'})`,
    )
    .join(', ');
}

export function generationNoteText(note: GenerationNote): string {
  switch (note.code) {
    case 'names_collide': {
      const { identifier, keys, names } = note;
      return `The flags ${keysText(keys)} would all be named ${identifier}; their names are ${listed(names, 'and')}.`;
    }
    case 'answers_undecided':
      return `The manifests do not decide what these flags answer, so each is a string or a boolean: ${keysText(note.keys)}.`;
    case 'payloads_wider':
      return `The types of these payloads accept more than their schemas, which use ${listed(note.keywords, 'and')}: ${keysText(note.keys)}.`;
    case 'payloads_untyped':
      return `${UNTYPED[note.reason]}, so their type is unknown: ${keysText(note.keys)}.`;
  }
}

const UNTYPED: Readonly<Record<Extract<GenerationNote, { readonly code: 'payloads_untyped' }>['reason'], string>> = {
  encrypted: 'The payloads of these flags are encrypted',
  large: 'The payloads of these flags are too large for a type',
  'of-others': 'The manifests do not decide the payloads of these flags',
};

export function manifestNoteText({ code, keys }: ManifestNote): string {
  return `${UNSAID[code]}: ${keysText(keys)}.`;
}

const UNSAID: Readonly<Record<ManifestNote['code'], string>> = {
  variants_unsaid: 'The format has no list of variants, so these flags are strings, and "" is off',
  answers_as_boolean: 'These flags do not always answer a variant, so they are booleans: whether the flag is on',
  names_with_digit: 'No name in code begins with a digit, so the OpenFeature CLI cannot generate code for these flags',
  names_alike:
    'The OpenFeature CLI gives these keys the same name, so its code does not compile or reads one of the flags only',
  payloads_unsaid: 'The format has one value for each flag, so the payloads of these flags are missing',
};
