// Bodies of uploads for requests that are injected.

/** A text, or a file: its bytes, its name and its type. */
export type Part = readonly [field: string, text: string] | readonly [string, Uint8Array | string, string, string?];

export async function multipart(
  parts: readonly Part[],
): Promise<{ payload: Buffer; headers: Readonly<Record<string, string>> }> {
  const form = new FormData();
  for (const [field, value, name, type = ''] of parts)
    if (name === undefined) form.append(field, String(value));
    else form.append(field, new Blob([Buffer.from(value)], { type }), name);
  const body = new Response(form);
  return {
    payload: Buffer.from(await body.arrayBuffer()),
    headers: { 'content-type': body.headers.get('content-type')! },
  };
}
