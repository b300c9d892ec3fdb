/** The headers with which any page may call the paths of SDKs, and read their answers. */

/** Any page may call these paths with a public token. By the Fetch standard a wildcard covers no `Authorization`. */
const CROSS_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': '*, Authorization',
  'Access-Control-Expose-Headers': 'ETag, Retry-After',
};

export function allowCrossOrigin<Facts extends { readonly headers?: Readonly<Record<string, string>> }>(
  facts: Facts,
): Facts {
  return { ...facts, headers: { ...facts.headers, ...CROSS_ORIGIN } };
}
