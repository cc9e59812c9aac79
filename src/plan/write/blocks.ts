// The structure of rich text in blocks: which nodes there are and what each must hold.

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_LIST_NESTING = 20;
/** Where a link may lead. A script is not among it: it would run with the rights of whoever follows the link. */
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'ftp:', 'mailto:', 'tel:']);
/** Nodes whose list of children may be empty, which Strapi 5 stores as well. */
const MAY_HOLD_NOTHING: ReadonlySet<unknown> = new Set(['list-item', 'link', 'image']);
const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'];

/** What is wrong with a value for a `blocks` attribute, or null. */
export function blocksProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list of blocks';
  for (const [index, node] of value.entries()) {
    const wrong = blockProblem(node);
    if (wrong) return `block ${index}: ${wrong}`;
  }
  return null;
}

function blockProblem(node: unknown): string | null {
  if (!isObject(node)) return 'must be an object';
  switch (node.type) {
    case 'paragraph':
    case 'quote':
      return childrenProblem(node, inlineProblem);
    case 'heading':
      if (!Number.isInteger(node.level) || (node.level as number) < 1 || (node.level as number) > 6)
        return 'a heading needs a level from 1 to 6';
      return childrenProblem(node, inlineProblem);
    case 'code':
      if (node.language !== undefined && node.language !== null && typeof node.language !== 'string')
        return 'the language of code is a string';
      return childrenProblem(node, (child) => textProblem(child, 'code holds text'));
    case 'list':
      return listProblem(node, 0);
    case 'image':
      if (!isObject(node.image) || typeof node.image.url !== 'string') return 'an image needs an image with a url';
      return childrenProblem(node, inlineProblem);
    default:
      return 'is of no known type';
  }
}

function listProblem(node: Record<string, unknown>, depth: number): string | null {
  if (depth > MAX_LIST_NESTING) return 'is nested too deeply';
  if (node.format !== 'ordered' && node.format !== 'unordered') return 'a list needs the format ordered or unordered';
  return childrenProblem(node, (child) => {
    if (isObject(child) && child.type === 'list') return listProblem(child, depth + 1);
    if (isObject(child) && child.type === 'list-item') return childrenProblem(child, inlineProblem);
    return 'a list holds list-items and lists';
  });
}

function childrenProblem(
  { type, children }: Record<string, unknown>,
  check: (child: unknown) => string | null,
): string | null {
  if (!Array.isArray(children) || (children.length === 0 && !MAY_HOLD_NOTHING.has(type))) return 'needs children';
  for (const child of children) {
    const wrong = check(child);
    if (wrong) return wrong;
  }
  return null;
}

function inlineProblem(node: unknown): string | null {
  if (!isObject(node) || node.type !== 'link') return textProblem(node, 'inline nodes are text or link');
  if (typeof node.url !== 'string' || !isLink(node.url))
    return 'a link needs a url: a path from /, or one with http, https, ftp, mailto or tel';
  return childrenProblem(node, (child) => textProblem(child, 'a link holds text'));
}

/** `otherwise`: what to say of a node that is no text. */
function textProblem(node: unknown, otherwise: string): string | null {
  if (!isObject(node) || node.type !== 'text') return otherwise;
  if (typeof node.text !== 'string') return 'a text node needs a string as its text';
  return MARKS.some((mark) => node[mark] !== undefined && typeof node[mark] !== 'boolean')
    ? 'marks are true or false'
    : null;
}

const isLink = (url: string): boolean => url.startsWith('/') || LINK_PROTOCOLS.has(URL.parse(url)?.protocol ?? '');
