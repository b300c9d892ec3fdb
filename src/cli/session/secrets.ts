/** The last guard before text leaves the process: secrets that a run knows are blanked wherever they appear. */

export interface Secrets {
  add(secret: string): void;
  redact(text: string): string;
}

// Shorter ones are not keys of the service, and blanking `x` would spoil every document.
const SHORTEST = 8;
const BLANK = '[redacted]';

export function createSecrets(): Secrets {
  const known = new Set<string>();
  return {
    add: (secret) => {
      if (secret.length < SHORTEST) return;
      known.add(secret);
      known.add(JSON.stringify(secret).slice(1, -1));
      known.add(encodeURIComponent(secret));
    },
    redact: (text) => [...known].reduce((rest, secret) => rest.replaceAll(secret, BLANK), text),
  };
}
