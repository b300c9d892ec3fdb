/** Gives declarations in the texts of manifests other keys. */

import type { Place } from '../base/place.ts';
import { parseManifest } from '../posthog/manifests/manifests.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';
import type { ManifestText } from './texts.ts';
import type { RefusedWish } from './wish.ts';

export interface KeyRename {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export interface RenamedTexts {
  readonly texts: readonly ManifestText[];
  readonly failed: readonly RefusedWish[];
}

export function renameKeys(texts: readonly ManifestText[], renames: readonly KeyRename[]): RenamedTexts {
  const failed: RefusedWish[] = [];
  const renamed = texts.map(({ file, text }): ManifestText => {
    const own = renames.filter((rename) => rename.file === file);
    const result = own.reduce((current, rename) => {
      const next = renameIn(current, rename);
      if (next === undefined) failed.push({ key: rename.from, reason: { code: 'reads-differently' } });
      return next ?? current;
    }, text);
    return { file, text: result };
  });
  return { texts: renamed, failed };
}

/** `undefined` if the key is written in a way that is not met here, such as with escapes. */
function renameIn(text: string, { file, from, to }: KeyRename): string | undefined {
  const { declarations } = parseManifest(file, text).file;
  const declaration = declarations.find(({ section, key }) => section === FLAG_SECTION.name && key === from);
  if (declaration === undefined) return undefined;
  const start = offsetOf(text, declaration.places.place);
  const quote = ["'", '"'].find((one) => text.startsWith(one + from + one, start)) ?? '';
  if (!text.startsWith(quote + from + quote, start)) return undefined;
  const safe = quote === '' && !/^[A-Za-z][A-Za-z0-9_-]{2,}$/.test(to) ? '"' : quote;
  const written = /^(?:yes|off|true|null|false)$/i.test(to) && safe === '' ? `"${to}"` : safe + to + safe;
  return text.slice(0, start) + written + text.slice(start + quote.length * 2 + from.length);
}

function offsetOf(text: string, { line, column }: Place): number {
  let start = 0;
  for (let count = 1; count < line; count += 1) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
