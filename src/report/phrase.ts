/** A sentence, or a part of one, as spans: each format marks the names and the commands in it in its own way, and cuts nothing. */

import { escapeLine, quoteShort } from './escape.ts';

/** A string is words of ours, or text of others that is escaped already. */
export type Phrase = string | readonly Span[];

export type Span =
  | string
  /** A string of others in a sentence: escaped, and shortened. */
  | { readonly value: string; readonly limit?: number }
  /** Text that a reader copies, such as a command: escaped, and never shortened. */
  | { readonly code: string }
  /** A name of something that has a page in the service. */
  | { readonly link: string; readonly url: string }
  /** Spaces that align what follows: a page, whose lines wrap, has none. */
  | { readonly gap: number }
  | { readonly tone: Tone; readonly of: Phrase };

/** `aside` and `caution` are `dim` and `warning` in a terminal; a page, which has room, shows both as any text. */
export type Tone = 'add' | 'change' | 'remove' | 'strong' | 'dim' | 'warning' | 'error' | 'aside' | 'caution';

export function toned(tone: Tone, of: Phrase): Span {
  return { tone, of };
}

export type ValueQuote = (text: string, limit?: number) => string;

/** A control character: text of ours has none, and in that of others they are visible escapes. */
const MARK = '\u0001';
const NUMBERED = new RegExp(`${MARK}(\\d+)${MARK}`);

/** The sentence that `write` makes, with the strings that it quotes as spans. */
export function phraseOf(write: (quote: ValueQuote) => string): Phrase {
  const values: Extract<Span, { readonly value: string }>[] = [];
  const text = write((value, limit) => {
    values.push(limit === undefined ? { value } : { value, limit });
    return `${MARK}${values.length - 1}${MARK}`;
  });
  if (values.length === 0) return text;
  return text.split(NUMBERED).map((part, index) => (index % 2 === 0 ? part : (values[Number(part)] ?? '')));
}

export function joined(phrases: readonly Phrase[]): readonly Span[] {
  return phrases.flatMap((phrase, index) => (index === 0 ? spansOf(phrase) : [', ', ...spansOf(phrase)]));
}

export function spansOf(phrase: Phrase): readonly Span[] {
  return typeof phrase === 'string' ? [phrase] : phrase;
}

/** A sentence for each member of a union, by the name that tells the members apart. */
export type TextsFor<Union, Tag extends string = 'code'> = {
  readonly [Name in Extract<Union[Tag & keyof Union], string>]: (
    one: MemberOf<Union, Tag, Name>,
    quote: ValueQuote,
  ) => string;
};

/** A member may have several names. */
type MemberOf<Union, Tag extends string, Name> = Union extends { readonly [T in Tag]: infer Own }
  ? Name extends Own
    ? Union
    : never
  : never;

export function textOf<Union extends Readonly<Record<Tag, string>>, Tag extends string>(
  texts: TextsFor<Union, Tag>,
  tag: Tag,
): (one: Union, quote?: ValueQuote) => string {
  return (one, quote = quoteShort) => {
    const text = (texts as Readonly<Record<string, unknown>>)[one[tag]] as (one: Union, quote: ValueQuote) => string;
    return text(one, quote);
  };
}

export interface PhraseWriter {
  readonly words: (text: string) => string;
  readonly value: (text: string, limit: number | undefined) => string;
  readonly code: (text: string) => string;
  readonly link: (span: Extract<Span, { readonly link: string }>) => string;
  readonly tone: (tone: Tone, text: string) => string;
  /** Absent: as many spaces. */
  readonly gap?: string;
}

export function writePhrase(phrase: Phrase, writer: PhraseWriter): string {
  if (typeof phrase === 'string') return writer.words(phrase);
  let text = '';
  for (const span of phrase) text += writeSpan(span, writer);
  return text;
}

function writeSpan(span: Span, writer: PhraseWriter): string {
  if (typeof span === 'string') return writer.words(span);
  if ('gap' in span) return writer.gap ?? ' '.repeat(span.gap);
  if ('tone' in span) return writer.tone(span.tone, writePhrase(span.of, writer));
  if ('value' in span) return writer.value(span.value, span.limit);
  return 'code' in span ? writer.code(span.code) : writer.link(span);
}

/** Omits marks, as in a log. */
export function plainText(phrase: Phrase): string {
  return writePhrase(phrase, PLAIN_WRITER);
}

export const PLAIN_WRITER: PhraseWriter = {
  words: (text) => text,
  value: quoteShort,
  code: escapeLine,
  link: ({ link }) => escapeLine(link),
  tone: (_, text) => text,
};
