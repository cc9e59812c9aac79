// From the value of an attribute to what Slate edits, and back. A block that nobody changed goes back as it came.
import { createEditor, type Descendant, Editor, Element, Text } from 'slate';
import { emptyParagraph, emptyText, type ListElement } from './nodes.ts';
import { withBlocks } from './with-blocks.ts';

export interface LoadedBlocks {
  readonly children: Descendant[];
  /** The value for the API; null where there is no text at all. */
  save(children: readonly Descendant[]): unknown[] | null;
}

export function loadBlocks(value: unknown): LoadedBlocks {
  const stored = Array.isArray(value) ? value : [];
  const editor = withBlocks(createEditor());
  editor.children = structuredClone(stored).map((node) => shaped(node) as Descendant);
  Editor.normalize(editor, { force: true });
  const saved = new WeakMap<Descendant, unknown>();
  // A value that the server took keeps its number of blocks.
  if (editor.children.length === stored.length)
    for (const [index, child] of editor.children.entries()) saved.set(child, stored[index]);
  const saveOne = (child: Descendant): unknown => {
    if (!saved.has(child)) saved.set(child, isList(child) ? withIndentation(child, 0) : child);
    return saved.get(child);
  };
  return {
    children: editor.children,
    save: (children) => (isEmpty(children) ? null : children.map(saveOne)),
  };
}

const isEmpty = ([first, ...rest]: readonly Descendant[]): boolean =>
  rest.length === 0 &&
  Element.isElement(first) &&
  first.type === 'paragraph' &&
  first.children.every((child) => Text.isText(child) && child.text === '');

/** Anything, as a node that Slate can hold. */
function shaped(node: unknown): object {
  if (typeof node !== 'object' || node === null) return emptyParagraph();
  if ('text' in node && typeof node.text === 'string') return node;
  const children = 'children' in node && Array.isArray(node.children) ? node.children.map(shaped) : [];
  return { ...node, children: children.length > 0 ? children : [emptyText()] };
}

const isList = (node: Descendant): node is ListElement => Element.isElement(node) && node.type === 'list';

/** Lists in lists say how deep they are. */
function withIndentation({ indentLevel, ...list }: ListElement, depth: number): ListElement {
  return {
    ...list,
    ...((depth > 0 || indentLevel !== undefined) && { indentLevel: depth }),
    children: list.children.map((child) => (isList(child) ? withIndentation(child, depth + 1) : child)),
  };
}
