// What follows from an object that never changes, such as a type of the model, is worked out once and kept with it. A
// write asks for such things several times, and each list made anew costs as much as a look-up of a row.

/** `compute`, run once for each object. A second argument must follow from the first: that of the first call counts. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value;
export function memoize<Key extends object, Value, With>(
  compute: (key: Key, using: With) => Value,
): (key: Key, using: With) => Value;
export function memoize<Key extends object, Value, With>(
  compute: (key: Key, using: With) => Value,
): (key: Key, using: With) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key, using) => {
    let kept = known.get(key);
    if (!kept) {
      kept = { value: compute(key, using) };
      known.set(key, kept);
    }
    return kept.value;
  };
}
