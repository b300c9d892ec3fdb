/** An event that a test waits for. It happens once; a later wait ends at once. */

export interface Event {
  readonly happened: Promise<void>;
  readonly happen: () => void;
}

export function createEvent(): Event {
  let happen = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen };
}
