/** Reads XML as strictly as its grammar: for documents that we write, without entities of their own, comments or CDATA. */

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

const TOKEN = /<(\/?)([a-z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' };

/** @throws where the text is not well-formed. The first line, a declaration or a doctype, may stand before the element. */
export function parseXml(text: string): XmlElement {
  const body = text.replace(/^(?:<\?xml [^?]*\?>|<!doctype html>)\n/i, '').trimEnd();
  const root = { name: '', attributes: {}, children: [] as XmlNode[] };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < body.length) {
    const at = TOKEN.lastIndex;
    const [, end, name = '', written = '', closed, words] =
      TOKEN.exec(body) ?? fail(`not well-formed: ${body.slice(at, at + 80)}`);
    const parent = open.at(-1) ?? fail('nothing is open');
    if (words !== undefined) parent.children.push(decode(words));
    else if (end === '/') {
      if (parent.name !== name) fail(`</${name}> ends <${parent.name}>`);
      open.pop();
    } else {
      const element = { name, attributes: attributesIn(written), children: [] as XmlNode[] };
      parent.children.push(element);
      if (closed !== '/') open.push(element);
    }
  }
  const [only, ...others] = root.children;
  if (open.length !== 1 || others.length > 0 || only === undefined || typeof only === 'string') fail('not one element');
  return only as XmlElement;
}

function attributesIn(text: string): Record<string, string> {
  const found = [...text.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name, decode(value)] as const);
  if (new Set(found.map(([name]) => name)).size !== found.length) fail(`an attribute is repeated:${text}`);
  return Object.fromEntries(found);
}

function decode(text: string): string {
  if (/[^\P{Cc}\n\t]/u.test(text)) fail('a control character');
  return text.replaceAll(/&(?:([\w#]+);)?/g, (_, name: string | undefined) => {
    return ENTITIES[name ?? ''] ?? fail(`an unknown entity: ${name ?? '&'}`);
  });
}

function fail(why: string): never {
  throw new Error(`XML: ${why}`);
}

/** All elements of a name, in the order of the document. */
export function elementsOf(element: XmlElement, name: string): XmlElement[] {
  const below = element.children.flatMap((child) => (typeof child === 'string' ? [] : elementsOf(child, name)));
  return element.name === name ? [element, ...below] : below;
}

export function textOf(node: XmlNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}
