/** A report of where code reads flags, with strings of others in every place where there may be some. */

import type { CodeReferences } from '../../src/code/references/reference.ts';
import { type FlagStanding, judgeFlags } from '../../src/code/references/staleness.ts';
import { readLosses, type Loss, type Readers } from '../../src/code/references/losses.ts';
import { type KnownCode } from '../../src/code/references/use.ts';
import type { ReportOf } from '../../src/report/report.ts';

export function referencesSample(text: string): ReportOf<'refs'> {
  const place = { file: text, line: 2, column: 3 };
  const named = { key: text, place, form: 'string', certain: true } as const;
  const code: CodeReferences = {
    keys: [text, 'mentioned', 'new', 'old', 'gone', 'former', 'indirect-x', 'unused'],
    references: [
      named,
      { ...named, key: 'mentioned', form: 'text', certain: false },
      { ...named, key: 'old', form: 'call' },
      { ...named, key: 'gone', form: 'constant' },
      { ...named, key: 'former' },
    ],
    unknownReads: [{ key: `${text}-`, place }],
    indirectReads: [
      { place, prefix: 'indirect-', suffix: '-x' },
      { place, part: 'ndirec' },
    ],
    loose: new Map([['new', 3]]),
    files: 2,
    lines: 3,
    skipped: {
      ...{ binary: [text], generated: [], large: [], unreadable: [], submodules: [] },
      ...{ documentation: [text], dependencies: [text] },
    },
  };
  const other: CodeReferences = { ...code, skipped: { ...code.skipped, large: [text], submodules: [text] } };
  const known: KnownCode = {
    repositories: [{ code }, { name: text, commit: 'c'.repeat(40), at: '2026-01-31T12:00:00.000Z', code: other }],
    gaps: [
      { code: 'repository_not_searched', detail: text },
      { code: 'source_missing', repository: text, file: text },
      { code: 'source_unreadable', repository: text, file: text, detail: text },
      { code: 'source_renamed', repository: text, file: text, found: text },
      { code: 'source_old', repository: text, file: text, days: 9, max_days: 7 },
    ],
  };
  const flags: readonly FlagStanding[] = [
    { key: text, standing: 'active', place },
    { key: 'mentioned', standing: 'active', place },
    { key: 'new', standing: 'undeclared' },
    { key: 'old', standing: 'disabled', place },
    { key: 'gone', standing: 'deleted', place },
    { key: 'former', standing: 'renamed', place, to: text },
    { key: 'unused', standing: 'rolled_out', place },
  ];
  return { kind: 'refs', code: known, flags: judgeFlags(flags, known), listed: false };
}

/** All code was searched. */
export function wholeReferencesSample(text: string): ReportOf<'refs'> {
  const { code, flags, ...report } = referencesSample(text);
  const known: KnownCode = { repositories: code.repositories.slice(0, 1), gaps: [] };
  return { ...report, code: known, flags: judgeFlags(flags, known) };
}

/** Nothing that was searched reads any flag. */
export function unreadReferencesSample(text: string): ReportOf<'refs'> {
  const known: KnownCode = { repositories: [], gaps: [] };
  const flags: readonly FlagStanding[] = [{ key: text, standing: 'active' }];
  return { kind: 'refs', code: known, flags: judgeFlags(flags, known), listed: false };
}

/** Code that reads what the changes with these refs take from it. */
export function readersSample(text: string, refs: readonly string[]): Readers {
  const keys = [text, 'mentioned', 'new', 'indirect-a-x'];
  const losses = keys.map((key, index): Loss => ({
    ref: refs[index % refs.length] ?? '',
    key,
    loses: 'variants',
    variants: [text, 'blue'],
  }));
  const { repositories, ...code } = referencesSample(text).code;
  const hidden = { references: [], indirectReads: [], unread: [text] };
  const changed = { ...code, repositories: repositories.map((one) => ({ ...one, hidden, former: { file: text } })) };
  const readers = readLosses(losses, changed, () => `case "${text}":`);
  return { ...readers, gaps: [...readers.gaps, { code: 'no_reader_found' }] };
}
