// The structure of rich text in blocks: which nodes there are and what each must hold.
import { isObject } from '../../type-guards.ts';

/** What is wrong with a value, and where in it. */
export interface BlocksProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const MAX_LIST_NESTING = 20;
/** Where a link may lead. A script is not among it: it would run with the rights of whoever follows the link. */
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'ftp:', 'mailto:', 'tel:']);
/** Nodes whose list of children may be empty, which Strapi 5 stores as well. */
const MAY_HOLD_NOTHING: ReadonlySet<unknown> = new Set(['list-item', 'link', 'image']);
const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'];
/** What an image has of its file, as Strapi 5 asks for it. */
const IMAGE_TEXTS = ['name', 'url', 'hash', 'ext', 'mime', 'provider', 'createdAt', 'updatedAt'];
const IMAGE_NUMBERS = ['width', 'height', 'size'];

type Check = (node: unknown) => BlocksProblem | null;

const problem = (message: string, ...path: readonly (string | number)[]): BlocksProblem => ({ path, message });

/** What is wrong with a value for a `blocks` attribute, or null. */
export function blocksProblem(value: unknown): BlocksProblem | null {
  return Array.isArray(value) ? firstProblem(value, blockProblem) : problem('must be a list of blocks');
}

function firstProblem(nodes: readonly unknown[], check: Check): BlocksProblem | null {
  for (const [index, node] of nodes.entries()) {
    const wrong = check(node);
    if (wrong) return problem(wrong.message, index, ...wrong.path);
  }
  return null;
}

function blockProblem(node: unknown): BlocksProblem | null {
  if (!isObject(node)) return problem('must be an object');
  switch (node.type) {
    case 'paragraph':
    case 'quote':
      return childrenProblem(node, inlineProblem);
    case 'heading':
      if (typeof node.level !== 'number' || !Number.isInteger(node.level) || node.level < 1 || node.level > 6)
        return problem('a heading needs a level from 1 to 6', 'level');
      return childrenProblem(node, inlineProblem);
    case 'code':
      if (node.language !== undefined && node.language !== null && typeof node.language !== 'string')
        return problem('the language of code is a string', 'language');
      return childrenProblem(node, (child) => textProblem(child, 'code holds text'));
    case 'list':
      return listProblem(node, 0);
    case 'image':
      return imageProblem(node.image) ?? childrenProblem(node, inlineProblem);
    default:
      return problem('is of no known type');
  }
}

function imageProblem(image: unknown): BlocksProblem | null {
  if (!isObject(image)) return problem('an image needs the image, an object with what is known of its file', 'image');
  const isText = (name: string): boolean => typeof image[name] === 'string' && image[name] !== '';
  const text = IMAGE_TEXTS.find((name) => !isText(name));
  if (text) return problem(`an image needs the ${text} of its file, a string`, 'image', text);
  const number = IMAGE_NUMBERS.find((name) => typeof image[name] !== 'number');
  return number ? problem(`an image needs the ${number} of its file, a number`, 'image', number) : null;
}

function listProblem(node: Record<string, unknown>, depth: number): BlocksProblem | null {
  if (depth > MAX_LIST_NESTING) return problem('is nested too deeply');
  if (node.format !== 'ordered' && node.format !== 'unordered')
    return problem('a list needs the format ordered or unordered', 'format');
  return childrenProblem(node, (child) => {
    if (isObject(child) && child.type === 'list') return listProblem(child, depth + 1);
    if (isObject(child) && child.type === 'list-item') return childrenProblem(child, inlineProblem);
    return problem('a list holds list-items and lists');
  });
}

function childrenProblem({ type, children }: Record<string, unknown>, check: Check): BlocksProblem | null {
  if (!Array.isArray(children) || (children.length === 0 && !MAY_HOLD_NOTHING.has(type)))
    return problem('needs children', 'children');
  const wrong = firstProblem(children, check);
  return wrong && problem(wrong.message, 'children', ...wrong.path);
}

function inlineProblem(node: unknown): BlocksProblem | null {
  if (!isObject(node) || node.type !== 'link') return textProblem(node, 'inline nodes are text or link');
  if (typeof node.url !== 'string' || !isLink(node.url))
    return problem('a link needs a url: a path from /, or one with http, https, ftp, mailto or tel', 'url');
  return childrenProblem(node, (child) => textProblem(child, 'a link holds text'));
}

/** `otherwise`: what to say of a node that is no text. */
function textProblem(node: unknown, otherwise: string): BlocksProblem | null {
  if (!isObject(node) || node.type !== 'text') return problem(otherwise);
  if (typeof node.text !== 'string') return problem('a text node needs a string as its text', 'text');
  const mark = MARKS.find((name) => node[name] !== undefined && typeof node[name] !== 'boolean');
  return mark ? problem('marks are true or false', mark) : null;
}

const isLink = (url: string): boolean => url.startsWith('/') || LINK_PROTOCOLS.has(URL.parse(url)?.protocol ?? '');
