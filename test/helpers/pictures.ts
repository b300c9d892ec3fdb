/** The pictures of docs/: taken from pages of real runs. `npm run pictures` writes them; a test checks that each can be taken and is there. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { CHROMIUM, openBrowser, type View } from './browser.ts';

interface Picture extends View {
  /** The page. */
  readonly html: string;
  /** Of its top. */
  readonly height: number;
}

/** Not pixel by pixel: fonts differ from machine to machine. */
export async function checkPicture(name: string, { html, height, ...view }: Picture): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pictures-'));
  const browser = await openBrowser(CHROMIUM ?? '');
  try {
    const file = path.join(folder, 'page.html');
    writeFileSync(file, html.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8000'));
    await browser.open(file, view);
    // Cards that are not in sight are not laid out.
    await browser.evaluate(
      `for (const one of document.querySelectorAll('.card')) one.style.contentVisibility = 'visible'`,
    );
    const taken = await browser.picture(height);
    const kept = path.join('docs/img', name);
    if (process.env['PICTURES'] === 'write') writeFileSync(kept, taken);
    expect(sizeOf(taken)).toEqual({ width: view.width, height });
    expect(sizeOf(readFileSync(kept))).toEqual({ width: view.width, height });
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The header of a PNG. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
