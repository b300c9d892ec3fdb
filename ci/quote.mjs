// Text of a change as code of Markdown, whatever it contains.

export function quoteCode(text) {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200);
  const fence = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return fence.length === 1 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}
