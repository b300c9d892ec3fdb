/** The sentences about what a generated file cannot say. */

import { listed } from '../../base/wording.ts';
import type { GenerationNote } from '../../generate/notes.ts';
import type { ManifestNote } from '../../generate/openfeature.ts';
import { keysText } from './amounts.ts';

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
