/** The sentences about exported flags: one exhaustive switch. */

import { DIAGNOSTIC_WORDS } from '../../report/words/diagnostics.ts';
import type { ExportNote, ExportReason, LeftOutFlag, UncheckedFlag } from '../../export/export.ts';
import { count } from '../../report/words/count.ts';
import { quoteShort } from '../../report/escape.ts';

/** One sentence for each fact: ids without a name and parts of other products are told once, with the number of flags that hold them. */
export function exportNoteTexts(notes: readonly ExportNote[]): string[] {
  const amounts = new Map<string, number>();
  for (const note of notes) {
    const subject = subjectOf(note);
    amounts.set(subject, (amounts.get(subject) ?? 0) + 1);
  }
  const told = new Set<string>();
  return notes.flatMap((note) => {
    const subject = subjectOf(note);
    if (told.has(subject)) return [];
    told.add(subject);
    return [sentence(note, count(amounts.get(subject) ?? 1, 'flag'))];
  });
}

function subjectOf(note: ExportNote): string {
  switch (note.kind) {
    case 'cohort-without-alias':
      return `cohort ${note.cohort}`;
    case 'role-without-name':
      return `role ${note.role}`;
    case 'dependency-dangling':
    case 'payloads-encrypted':
      return JSON.stringify(note);
    case 'filters-unmanaged':
      return `filters ${list(note.members)}`;
  }
}

function sentence(note: ExportNote, flags: string): string {
  const key = quoteShort(note.key);
  switch (note.kind) {
    case 'dependency-dangling':
      return `${key}: it depends on the flag with id ${note.id}, which the project does not list; the id stands in the manifest.`;
    case 'cohort-without-alias':
      return `cohort ${note.cohort}${note.name === undefined ? '' : ` (${quoteShort(note.name)})`} has no alias under cohorts in flagwright.yaml; its id stands in the manifests (${flags}).`;
    case 'role-without-name':
      return `role ${quoteShort(note.name)} has no entry under roles in flagwright.yaml; its id ${quoteShort(note.role)} stands in the manifests (${flags}).`;
    case 'payloads-encrypted':
      return `${key}: its payloads are encrypted (${list(note.payloads)}); a mark that leaves them as they are stands in the manifest.`;
    case 'filters-unmanaged':
      return `parts of filters that other products own stay unmanaged: ${list(note.members)} (${flags}).`;
  }
}

/** One sentence for all flags whose filters break the same rules. */
export function uncheckedTexts(flags: readonly UncheckedFlag[]): string[] {
  const byReasons = new Map<string, string[]>();
  for (const { key, reasons } of flags) {
    const code = reasons.join(', ');
    byReasons.set(code, [...(byReasons.get(code) ?? []), key]);
  }
  return [...byReasons].map(
    ([reasons, keys]) =>
      `filters that break a rule stand under fields, as they are live and unchecked (${reasons}): ${list(keys)}.`,
  );
}

export function leftOutText({ key, id, reasons }: LeftOutFlag): string {
  return `${quoteShort(key)} (flag id ${id}) is in no file and stays unmanaged: ${reasons.map(reasonText).join('; ')}.`;
}

function reasonText(reason: ExportReason): string {
  if (reason === 'reads-differently') return `no manifest would load to what is live (${reason})`;
  if (reason === 'key-shared') return `another flag has the same key (${reason})`;
  return `${lowerFirst(DIAGNOSTIC_WORDS[reason].title)} (${reason})`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function list(names: readonly string[]): string {
  return names.map((name) => quoteShort(name)).join(', ');
}
