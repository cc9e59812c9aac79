// Brings what an edit or a paste left behind into the structure that the server takes.
import { type Descendant, Editor, Element, type NodeEntry, type Path, Text, Transforms } from 'slate';
import { BLOCKS, emptyParagraph, emptyText, MARKS, MAX_LIST_NESTING, TEXT_BLOCKS } from './nodes.ts';

/** Makes one change where something is wrong and says so; the node is then looked at again. */
export function repair(editor: Editor, [node, path]: NodeEntry): boolean {
  if (Text.isText(node)) return repairText(editor, node, path);
  if (Editor.isEditor(node)) return repairRoot(editor);
  if (!Element.isElement(node)) return false;
  if (node.children.length === 0) {
    if (node.type === 'list') Transforms.removeNodes(editor, { at: path });
    else Transforms.insertNodes(editor, emptyText(), { at: [...path, 0], voids: true });
    return true;
  }
  const [parent] = Editor.parent(editor, path);
  if (repairPlace(editor, [node, path], Editor.isEditor(parent) ? 'editor' : parent.type)) return true;
  switch (node.type) {
    case 'link':
      return repairLink(editor, [node, path]);
    case 'list':
      return repairList(editor, [node, path]);
    case 'image':
      return repairImage(editor, [node, path]);
    case 'heading':
      if (Number.isInteger(node.level) && node.level >= 1 && node.level <= 6)
        return repairTextBlock(editor, node, path);
      Transforms.setNodes(editor, { level: 1 }, { at: path });
      return true;
    default:
      return repairTextBlock(editor, node, path);
  }
}

function repairText(editor: Editor, node: Text, path: Path): boolean {
  const wrong = MARKS.filter((mark) => mark in node && typeof node[mark] !== 'boolean');
  if (wrong.length > 0) Transforms.unsetNodes(editor, wrong, { at: path, voids: true });
  else if (node.type !== 'text') Transforms.setNodes(editor, { type: 'text' }, { at: path, voids: true });
  else return false;
  return true;
}

function repairRoot(editor: Editor): boolean {
  if (editor.children.length === 0) {
    Transforms.insertNodes(editor, emptyParagraph(), { at: [0] });
    return true;
  }
  const loose = editor.children.findIndex((child) => Text.isText(child) || Editor.isInline(editor, child));
  if (loose === -1) return false;
  Transforms.wrapNodes(editor, { type: 'paragraph', children: [] }, { at: [loose] });
  return true;
}

/** Whether an element may stand where it stands; else it becomes what may, or is taken out. */
function repairPlace(editor: Editor, [node, path]: NodeEntry<Element>, parent: string): boolean {
  const { type } = node;
  if (![...BLOCKS, 'list-item', 'link'].includes(type)) {
    Transforms.setNodes(editor, { type: parent === 'list' ? 'list-item' : 'paragraph' }, { at: path });
    return true;
  }
  if (type === 'link') return false;
  if (parent === 'editor' && type === 'list-item') {
    Transforms.wrapNodes(editor, { type: 'list', format: 'unordered', children: [] }, { at: path });
    return true;
  }
  if (parent === 'list' && type === 'image') {
    Transforms.liftNodes(editor, { at: path, voids: true });
    return true;
  }
  if (parent === 'list' && type !== 'list' && type !== 'list-item') {
    become(editor, [node, path], { type: 'list-item' });
    return true;
  }
  // An element with text holds no blocks; what is in them becomes its text.
  if (TEXT_BLOCKS.includes(parent) || parent === 'link' || parent === 'image') {
    if (type === 'image') Transforms.removeNodes(editor, { at: path, voids: true });
    else Transforms.unwrapNodes(editor, { at: path });
    return true;
  }
  return false;
}

/** Makes an element one of another type; what only the old one has goes. */
export function become(
  editor: Editor,
  [, path]: NodeEntry<Element>,
  kind: { readonly type: Element['type']; readonly level?: number },
): void {
  const props: object = kind;
  Transforms.setNodes(editor, props, { at: path, replace: true });
}

function repairLink(editor: Editor, [node, path]: NodeEntry<Element>): boolean {
  const [parent] = Editor.parent(editor, path);
  if (node.type !== 'link') return false;
  const { url, children } = node;
  const isNested = Element.isElement(parent) && (parent.type === 'link' || parent.type === 'code');
  if (isNested || typeof url !== 'string' || url === '') {
    Transforms.unwrapNodes(editor, { at: path });
    return true;
  }
  if (Element.isElement(parent) && parent.type === 'list') {
    Transforms.wrapNodes(editor, { type: 'list-item', children: [] }, { at: path });
    return true;
  }
  if (children.every((child) => Text.isText(child) && child.text === '')) {
    Transforms.removeNodes(editor, { at: path });
    return true;
  }
  return false;
}

function repairList(editor: Editor, [node, path]: NodeEntry<Element>): boolean {
  if (node.type !== 'list') return false;
  if (node.format !== 'ordered' && node.format !== 'unordered') {
    Transforms.setNodes(editor, { format: 'unordered' }, { at: path });
    return true;
  }
  if (path.length - 1 > MAX_LIST_NESTING) {
    Transforms.unwrapNodes(editor, { at: path });
    return true;
  }
  const children: readonly Descendant[] = node.children;
  const loose = children.findIndex((child) => Text.isText(child) || Editor.isInline(editor, child));
  if (loose === -1) return false;
  const [child] = Editor.node(editor, [...path, loose]);
  if (Text.isText(child) && child.text === '' && node.children.length > 1)
    Transforms.removeNodes(editor, { at: [...path, loose] });
  else Transforms.wrapNodes(editor, { type: 'list-item', children: [] }, { at: [...path, loose] });
  return true;
}

function repairImage(editor: Editor, [node, path]: NodeEntry<Element>): boolean {
  if (node.type !== 'image' || typeof node.image?.url === 'string') return false;
  Transforms.removeNodes(editor, { at: path, voids: true });
  return true;
}

/** Text comes first in an element with text, or Slate would take it for one that holds blocks. */
function repairTextBlock(editor: Editor, node: Element, path: Path): boolean {
  // Links of a block that has just become code are not looked at by themselves.
  const children: readonly Descendant[] = node.children;
  const link = node.type === 'code' ? children.findIndex((child) => Element.isElement(child)) : -1;
  if (link >= 0) {
    Transforms.unwrapNodes(editor, { at: [...path, link] });
    return true;
  }
  const [first] = children;
  if (first !== undefined && (Text.isText(first) || Editor.isInline(editor, first))) return false;
  Transforms.insertNodes(editor, emptyText(), { at: [...path, 0] });
  return true;
}
