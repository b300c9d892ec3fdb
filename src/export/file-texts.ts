/** Splits what is written into texts that can be read again, and names their files. */

/** One text, or several if one would be too large. */
export function splitText<One>(
  parts: readonly One[],
  { writeText, maxBytes }: { readonly writeText: (parts: readonly One[]) => string; readonly maxBytes: number },
): string[] {
  const text = writeText(parts);
  if (parts.length === 1 || Buffer.byteLength(text) <= maxBytes) return [text];
  const half = Math.ceil(parts.length / 2);
  return [parts.slice(0, half), parts.slice(half)].flatMap((some) => splitText(some, { writeText, maxBytes }));
}

/** `checkout-2.yaml` beside `checkout.yaml`, unless a file has that name; for one project first `checkout-staging.yaml`. */
export function nextPath(
  path: string,
  { taken, onlyIn }: { readonly taken: Set<string>; readonly onlyIn: string | undefined },
): string {
  const stem = path.replace(/\.yaml$/, '');
  const own = onlyIn === undefined ? undefined : `${stem}-${onlyIn.toLowerCase()}`;
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? `${own ?? stem}.yaml` : `${own ?? stem}-${number}.yaml`;
    if (taken.has(next)) continue;
    taken.add(next);
    return next;
  }
}
