/** A phrase in the colours of a terminal. */

import { escapeLine, quoteShort } from '../../escape.ts';
import { writePhrase, type Phrase, type Tone, type PhraseWriter } from '../../phrase.ts';
import type { Palette, View } from '../../view.ts';

export function phraseText(phrase: Phrase, { palette }: Pick<View, 'palette'>): string {
  return typeof phrase === 'string' ? phrase : writePhrase(phrase, writerOf(palette));
}

const writers = new WeakMap<Palette, PhraseWriter>();

function writerOf(palette: Palette): PhraseWriter {
  const known = writers.get(palette);
  if (known !== undefined) return known;
  const writer: PhraseWriter = {
    words: (text) => text,
    value: quoteShort,
    code: escapeLine,
    link: ({ link }) => escapeLine(link),
    tone: (tone, text) => palette[COLOURS[tone]](text),
  };
  writers.set(palette, writer);
  return writer;
}

const COLOURS: Readonly<Record<Tone, keyof Palette>> = {
  add: 'add',
  change: 'change',
  remove: 'remove',
  strong: 'strong',
  dim: 'dim',
  warning: 'warning',
  error: 'error',
  aside: 'dim',
  caution: 'warning',
};
