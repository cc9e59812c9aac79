// Which addresses a link in a text may lead to.

const HARMLESS = /^(?:https?|mailto|tel|ftp):/i;

/** An absolute URL of a harmless kind, or a path of the site. */
export function isLinkUrl(url: string): boolean {
  if (url.startsWith('/')) return URL.canParse(url, 'https://site.invalid');
  return HARMLESS.test(url) && URL.canParse(url);
}

/** The same for what is only shown: relative addresses and places in the page as well. */
export const isShownUrl = (url: string): boolean => !/^[a-z][\w+.-]*:/i.test(url.trim()) || HARMLESS.test(url.trim());

/** What a person meant by `example.com`. */
export function completedUrl(typed: string): string {
  const url = typed.trim();
  if (isLinkUrl(url)) return url;
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(url)) return `mailto:${url}`;
  return /^[\w-]+(?:\.[\w-]+)+(?:[/?#:].*)?$/.test(url) ? `https://${url}` : url;
}
