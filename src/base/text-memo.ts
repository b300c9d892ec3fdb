/** Remembers what was computed from texts, so that a run computes it once. The content is the key, so no answer can be out of date. */

interface Remembered<Made> {
  readonly name: string;
  readonly made: Made;
}

/** Forgets what was not asked for longest, once the texts have more than `mostCharacters` in total. */
export class TextMemo<Made> {
  readonly #mostCharacters: number;
  readonly #byText = new Map<string, Remembered<Made>>();
  #characters = 0;

  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters;
  }

  /** What `make` makes of a text. Of a text that has several names, only what was made for the last one is remembered. */
  get(name: string, text: string, make: () => Made): Made {
    const known = this.#byText.get(text);
    const made = known?.name === name ? known.made : make();
    this.#forget(text);
    this.#byText.set(text, { name, made });
    this.#characters += text.length;
    for (const oldest of this.#byText.keys()) {
      if (this.#characters <= this.#mostCharacters) break;
      this.#forget(oldest);
    }
    return made;
  }

  #forget(text: string): void {
    if (this.#byText.delete(text)) this.#characters -= text.length;
  }
}
