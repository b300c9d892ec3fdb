import { describe, expect, test } from 'vitest';
import { joined, phraseOf, plainText, toned, writePhrase } from '../../src/report/phrase.ts';

describe('phraseOf', () => {
  test('keeps the strings that a sentence quotes as spans, in the order of the sentence', () => {
    const phrase = phraseOf((quote) => {
      const [last, first] = [quote('z', 5), quote('a')];
      return `${first} before ${last}.`;
    });
    expect(phrase).toEqual(['', { value: 'a' }, ' before ', { value: 'z', limit: 5 }, '.']);
  });

  test('is the sentence where it quotes nothing', () => {
    expect(phraseOf(() => 'Nothing to apply.')).toBe('Nothing to apply.');
  });

  test('takes no string of others for a span', () => {
    const evil = '\u00010\u0001';
    expect(phraseOf((quote) => quote(evil))).toEqual(['', { value: evil }, '']);
    expect(plainText([{ value: evil }])).toBe(String.raw`\u00010\u0001`);
  });
});

test('each format writes each sort of span in its way', () => {
  const phrase = [
    'To see ',
    { link: 'a', url: 'https://x' },
    ', run ',
    toned('strong', [{ code: 'b' }]),
    { value: 'c' },
  ];
  const written = writePhrase(phrase, {
    words: (text) => text.toUpperCase(),
    value: (text) => `<${text}>`,
    code: (text) => `$${text}`,
    link: ({ link, url }) => `${link}=${url}`,
    tone: (tone, text) => `${tone}(${text})`,
  });
  expect(written).toBe('TO SEE a=https://x, RUN strong($b)<c>');
  expect(plainText(joined(['a', [toned('dim', 'b')]]))).toBe('a, b');
});
