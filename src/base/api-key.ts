/** API keys in text: a known key in each of its spellings, and any string in the form of the service's keys. */

// Personal, project, OAuth and secret keys begin so. A file is refused for the beginning of a key already; a message
// hides only what is long enough to be one, so that it stays readable.
const KEY_BEGINNING = /\bph[a-z]_[A-Za-z0-9]/;
const KEY = /(?<![A-Za-z0-9])ph[a-z]_[A-Za-z0-9_-]{8,}/g;

export function looksLikeKey(text: string): boolean {
  return KEY_BEGINNING.test(text);
}

export function replaceKeys(text: string): string {
  return text.replace(KEY, '[key]');
}

/** Keeps the length, so that a column of the text stays where it is. */
export function maskKeys(text: string): string {
  return text.replace(KEY, (key) => '*'.repeat(key.length));
}

/** The key as it is, in a JSON string and in a URL. */
export function spellingsOf(key: string): readonly string[] {
  return [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)];
}

export function replaceSpellings(text: string, spellings: Iterable<string>, replacement: string): string {
  let replaced = text;
  for (const spelling of spellings) replaced = replaced.replaceAll(spelling, replacement);
  return replaced;
}
