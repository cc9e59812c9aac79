// How blocks look while they are edited.
import { createElement, type ReactNode } from 'react';
import { ReactEditor, type RenderElementProps, type RenderLeafProps, useSelected, useSlateStatic } from 'slate-react';
import { isLinkUrl } from '../url.ts';
import { type ImageElement, type LinkElement, type ListElement, MARKS } from './nodes.ts';

type Props<T> = Omit<RenderElementProps, 'element'> & { readonly element: T };

export function renderElement({ element, ...props }: RenderElementProps): React.JSX.Element {
  const { attributes, children } = props;
  switch (element.type) {
    case 'heading':
      return createElement(`h${element.level}`, attributes, children);
    case 'quote':
      return <blockquote {...attributes}>{children}</blockquote>;
    case 'code':
      return (
        <pre {...attributes}>
          <code>{children}</code>
        </pre>
      );
    case 'list':
      return <List element={element} {...props} />;
    case 'list-item':
      return <li {...attributes}>{children}</li>;
    case 'link':
      return <Link element={element} {...props} />;
    case 'image':
      return <Image element={element} {...props} />;
    default:
      return <p {...attributes}>{children}</p>;
  }
}

/** A list in a list stands in an item of its own, since a list holds nothing else. */
function List({ attributes, children, element }: Props<ListElement>): ReactNode {
  const isNested = ReactEditor.findPath(useSlateStatic(), element).length > 1;
  const Tag = element.format === 'ordered' ? 'ol' : 'ul';
  if (!isNested) return <Tag {...attributes}>{children}</Tag>;
  return (
    <li className="blocks-nested" {...attributes}>
      <Tag>{children}</Tag>
    </li>
  );
}

const Link = ({ attributes, children, element }: Props<LinkElement>): ReactNode => (
  <a
    {...attributes}
    href={isLinkUrl(element.url) ? element.url : undefined}
    title={element.url}
    target="_blank"
    rel="noopener noreferrer"
  >
    {children}
  </a>
);

function Image({ attributes, children, element }: Props<ImageElement>): ReactNode {
  const isSelected = useSelected();
  const { url, alternativeText, name } = element.image;
  const alt = [alternativeText, name].find((text): text is string => typeof text === 'string' && text !== '');
  return (
    <div {...attributes}>
      <div contentEditable={false} className={isSelected ? 'blocks-image blocks-image-selected' : 'blocks-image'}>
        <img src={url} alt={alt ?? ''} loading="lazy" />
      </div>
      {children}
    </div>
  );
}

const TAGS = { bold: 'strong', italic: 'em', underline: 'u', strikethrough: 's', code: 'code' } as const;

export function renderLeaf({ attributes, children, leaf }: RenderLeafProps): React.JSX.Element {
  const marked = MARKS.filter((mark) => leaf[mark]).reduce<ReactNode>((inner, mark) => {
    const Tag = TAGS[mark];
    return <Tag>{inner}</Tag>;
  }, children);
  return <span {...attributes}>{marked}</span>;
}
