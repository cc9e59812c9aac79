import { expect, it } from 'vitest';
import { completedUrl, isLinkUrl, isShownUrl } from './url.ts';

it('knows where links may lead', () => {
  for (const url of ['https://a.com/b?c#d', '/a', 'mailto:a@b.com', 'tel:+491', 'ftp://a'])
    expect(isLinkUrl(url), url).toBe(true);
  for (const url of [
    '',
    'a',
    '#a',
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,a',
    'https://',
    'sms:+491',
  ])
    expect(isLinkUrl(url), url).toBe(false);
  for (const url of ['a/b', '#a', '?a=b']) expect(isShownUrl(url), url).toBe(true);
  for (const url of [' javascript:alert(1)', 'vbscript:a', 'data:,a']) expect(isShownUrl(url), url).toBe(false);
});

it('completes what is typed', () => {
  expect(completedUrl(' example.com/a ')).toBe('https://example.com/a');
  expect(completedUrl('a@example.com')).toBe('mailto:a@example.com');
  expect(completedUrl('/a')).toBe('/a');
  expect(completedUrl('no address')).toBe('no address');
});
