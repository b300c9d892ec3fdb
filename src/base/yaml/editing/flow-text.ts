/** Writes a value on one line, as it is written within brackets. */

import { Document, isMap, visit } from 'yaml';
import type { JsonValue } from '../../json.ts';
import { escapeInvisible, hasInvisible } from '../../text.ts';

export interface FlowOptions {
  /** Whether it stands within brackets, where more strings need quotes. */
  readonly flow: boolean;
  /** Quotes all strings, as JSON does. */
  readonly json?: boolean;
}

/** `{ key: [a, b] }`. Strings that YAML 1.1 reads as another type are quoted: `yes`, `on`, `010`, 12:30. */
export function flowText(value: JsonValue, { flow, json = false }: FlowOptions): string {
  const document = new Document(flow ? [value] : value, { compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, scalar) => {
      const { value: held } = scalar;
      if (typeof held === 'string' && (held.includes('\n') || hasInvisible(held))) scalar.type = 'QUOTE_DOUBLE';
    },
    Collection: (_key, collection) => {
      collection.flow = true;
      // The library pads mappings and lists alike.
      const padding = isMap(collection) ? ' ' : '';
      const write = collection.toString.bind(collection);
      collection.toString = (context, ...rest) =>
        write(context && { ...context, flowCollectionPadding: padding }, ...rest);
    },
  });
  const text = document.toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    ...(json ? { defaultKeyType: 'QUOTE_DOUBLE', defaultStringType: 'QUOTE_DOUBLE' } : {}),
  });
  return escapeInvisible(flow ? text.trim().slice(1, -1) : text.trimEnd());
}

/** The members or elements of a collection without its brackets. */
export function flowItem(value: JsonValue, name: string | undefined, json: boolean): string {
  if (name === undefined) return flowText(value, { flow: true, json });
  return flowText({ [name]: value }, { flow: true, json }).replace(/^\{\s*|\s*\}$/g, '');
}
