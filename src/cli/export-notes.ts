/** The sentences about exported flags: one exhaustive switch. */

import type { ExportNote } from '../manifest/write/export.ts';
import { quoteShort } from '../report/escape.ts';

export function exportNoteText(note: ExportNote): string {
  return `${quoteShort(note.key)}: ${sentence(note)}`;
}

function sentence(note: ExportNote): string {
  switch (note.kind) {
    case 'key-invalid':
      return `a manifest cannot hold this key (flag id ${note.id}); the flag is in no file and stays unmanaged.`;
    case 'dependency-dangling':
      return `it depends on the flag with id ${note.id}, which the project does not list; the id stands in the manifest.`;
    case 'cohort-without-alias':
      return `cohort ${note.cohort}${note.name === undefined ? '' : ` (${quoteShort(note.name)})`} has no alias in flaghoist.yaml; its id stands in the manifest.`;
    case 'role-without-name':
      return `role ${quoteShort(note.name)} has no entry under roles in flaghoist.yaml; its id ${quoteShort(note.role)} stands in the manifest.`;
    case 'payload-not-json':
      return `the payload of ${quoteShort(note.payload)} is no JSON text; validate will ask to mend it.`;
    case 'payloads-encrypted':
      return `its payloads are encrypted (${note.payloads.map((name) => quoteShort(name)).join(', ')}); a mark that leaves them as they are stands in the manifest.`;
    case 'filters-unmanaged':
      return `${note.members.map((name) => quoteShort(name)).join(', ')} belong to other products and stay unmanaged.`;
  }
}
