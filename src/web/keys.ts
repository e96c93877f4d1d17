// Everything can be reached by keyboard. Single letters act only where nothing is typed into.

type Keys = { readonly [key: string]: (event: KeyboardEvent) => void };

const registeredKeys: Keys[] = [];

/** Lets keys act as long as the returned function is not called; the last one registered wins. Names are `KeyboardEvent.key`'s. */
export function actOnKeys(keys: Keys): () => void {
  registeredKeys.push(keys);
  return () => {
    registeredKeys.splice(registeredKeys.indexOf(keys), 1);
  };
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(?:checkbox|radio|button|range)$/.test(target.type));

const SCROLLING = /^(?:Arrow(?:Left|Right)|Home|End| )$/;

/** A box that scrolls keeps the keys that scroll it, and radio buttons theirs that choose. */
const scrolls = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches("[type=radio]") ||
    (target.matches("[tabindex='0']") &&
      (target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight)));

/** Listens, once for the page. */
export function followKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target))
      return;
    // A button's own space, and a slider's own arrows, stay theirs.
    if (
      event.target instanceof HTMLElement &&
      event.target.closest("button, a, summary, [role=slider], input") &&
      [" ", "Enter"].includes(event.key)
    )
      return;
    if (SCROLLING.test(event.key) && scrolls(event.target)) return;
    const act = registeredKeys.findLast((keys) => Object.hasOwn(keys, event.key))?.[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}
