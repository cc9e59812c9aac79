// The editors of the console in the form of an entry: blocks, JSON, Markdown and files, by mouse and by keys.
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { axe, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';
import { chooseItem } from '../support/keyboard.ts';
import { boxAtRest } from '../support/pages.ts';

const text = (value: string, marks: object = {}) => ({ type: 'text', text: value, ...marks });
const item = (value: string) => ({ type: 'list-item', children: [text(value)] });

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function save(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Save( draft)?$/ });
  // While it is being stored, there is nothing to save either.
  const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
  await button.click();
  await stored;
  await expect.poll(() => button.isDisabled()).toBe(true);
}

describeOnSqlite('Editors of the console', (engine) => {
  const console = useConsole(engine);

  /** A new draft, and its form. */
  async function openNew(uid: 'api::restaurant.restaurant' | 'api::article.article', data: Record<string, unknown>) {
    const { documentId } = await console.sheaf.documents(uid).create({ data });
    const path = uid === 'api::article.article' ? 'articles' : 'restaurants';
    const page = await console.open(`/content/${path}/${documentId}`);
    const stored = () => console.sheaf.documents(uid).findOne({ documentId, status: 'draft', populate: '*' });
    return { page, stored };
  }

  it('blocks: typed with signs and keys, with links and pictures, and given back as they came', async () => {
    const kept = { type: 'quote', children: [text('As it was'), text('', { bold: true })], align: 'left' };
    const { page, stored } = await openNew('api::restaurant.restaurant', { name: 'Blocks', story: [kept] });
    const story = page.getByRole('textbox', { name: 'story' });
    await story.click();
    await press(page, 'Control+End', 'Enter', 'Enter');
    await page.keyboard.type('## Our house');
    await press(page, 'Enter');
    await page.keyboard.type('Since ');
    await press(page, 'Control+b');
    await page.keyboard.type('1900');
    await press(page, 'Control+b', 'Enter');
    await page.keyboard.type('- one');
    await press(page, 'Enter');
    await page.keyboard.type('inner');
    await press(page, 'Tab', 'Enter', 'Shift+Tab');
    await page.keyboard.type('two');
    await press(page, 'Enter', 'Enter');
    await page.keyboard.type('Write to ');
    await press(page, 'Control+k');
    await page.getByRole('textbox', { name: 'Address' }).fill('example.com/contact');
    await page.getByLabel('Text', { exact: true }).fill('us');
    await press(page, 'Enter');
    await expect.poll(() => story.getByRole('link', { name: 'us' }).count()).toBe(1);
    await page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name: 'Image' }).click();
    await page.getByRole('radio', { name: /picture-1\.png/ }).check();
    await page.getByRole('button', { name: 'Use the file' }).click();
    await story.getByRole('img', { name: 'picture-1.png' }).waitFor();
    await shoot(page, 'editor-blocks');
    await axe(page);
    await save(page);
    const blocks = (await stored())!.story as Record<string, unknown>[];
    expect(blocks.slice(1)).toEqual([
      { type: 'heading', level: 2, children: [text('Our house')] },
      { type: 'paragraph', children: [text('Since '), text('1900', { bold: true })] },
      {
        type: 'list',
        format: 'unordered',
        children: [
          item('one'),
          { type: 'list', format: 'unordered', indentLevel: 1, children: [item('inner')] },
          item('two'),
        ],
      },
      {
        type: 'paragraph',
        children: [
          text('Write to '),
          { type: 'link', url: 'https://example.com/contact', children: [text('us')] },
          text(''),
        ],
      },
      { type: 'image', image: expect.objectContaining({ name: 'picture-1.png', width: 320 }), children: [text('')] },
      { type: 'paragraph', children: [text('')] },
    ]);
    // Nobody touched the first block but for its end.
    expect(blocks[0]).toMatchObject({ type: 'quote', align: 'left' });
  });

  it('blocks: the toolbar by keys, undo, and a list that Tab can leave', async () => {
    const { page } = await openNew('api::restaurant.restaurant', {
      name: 'Keys',
      story: [{ type: 'list', format: 'unordered', children: [item('a'), item('b')] }],
    });
    const story = page.getByRole('textbox', { name: 'story' });
    const bar = page.getByRole('toolbar', { name: 'Formatting' });
    await story.focus();
    await press(page, 'Control+End', 'Escape', 'Tab');
    expect(await page.evaluate('document.activeElement.role')).not.toBe('textbox');
    await story.focus();
    await press(page, 'Control+a');
    await bar.getByRole('button', { name: /Kind of block/ }).focus();
    await press(page, 'ArrowRight');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Bold');
    await press(page, 'Enter', 'ArrowLeft', 'Enter');
    await chooseItem(page, 'Heading 3');
    await expect.poll(() => story.getByRole('heading', { level: 3 }).count()).toBe(2);
    await press(page, 'Control+z');
    await expect.poll(() => story.getByRole('listitem').count()).toBe(2);
  });

  it('blocks: pasted from a page or a word processor, with its structure alone', async () => {
    const { page, stored } = await openNew('api::restaurant.restaurant', { name: 'Paste' });
    const story = page.getByRole('textbox', { name: 'story' });
    await story.click();
    const html = `<html><head><style>p { color: red }</style></head><body><!--StartFragment-->
      <h2 style="color: red">Menu</h2>
      <p>With <b>wine</b>, <span style="font-style: italic">bread</span> and <a href="https://example.com" style="x">more</a><br>below</p>
      <b style="font-weight: normal"><ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul></b>
      <blockquote><p>said</p><p>again</p></blockquote><pre>a\n  b</pre>
      <a href="javascript:alert(1)">no link</a><script>document.title = 'ran'</script>
      <table><tr><td>a</td><td>b</td></tr></table><!--EndFragment--></body></html>`;
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/html', ${JSON.stringify(html)});
      const init = { inputType: 'insertFromPaste', dataTransfer, bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new InputEvent('beforeinput', init));
    })()`);
    await save(page);
    expect((await stored())!.story).toEqual([
      { type: 'heading', level: 2, children: [text('Menu')] },
      {
        type: 'paragraph',
        children: [
          text('With '),
          text('wine', { bold: true }),
          text(', '),
          text('bread', { italic: true }),
          text(' and '),
          { type: 'link', url: 'https://example.com', children: [text('more')] },
          text('\nbelow'),
        ],
      },
      {
        type: 'list',
        format: 'unordered',
        children: [
          item('one'),
          { type: 'list', format: 'unordered', indentLevel: 1, children: [item('inner')] },
          item('two'),
        ],
      },
      { type: 'quote', children: [text('said\nagain')] },
      { type: 'code', children: [text('a\n  b')] },
      { type: 'paragraph', children: [text('no link')] },
      { type: 'paragraph', children: [text('a\tb')] },
    ]);
  });

  it('JSON: what is wrong is told at its place, and keeps from saving', async () => {
    const { page, stored } = await openNew('api::restaurant.restaurant', { name: 'JSON', meta: { a: 1 } });
    const meta = page.getByRole('textbox', { name: 'meta' });
    await meta.click();
    await press(page, 'Control+a');
    await page.keyboard.type('{"a": nope');
    await page.getByText('Line 1, column 7: Unexpected nope').first().waitFor();
    expect(await meta.getAttribute('aria-invalid')).toBe('true');
    await shoot(page, 'editor-json');
    await axe(page);
    await press(page, 'Control+a');
    await page.keyboard.type('{"a": [1, 2]}');
    await page.getByText('Valid JSON').waitFor();
    await page.getByRole('button', { name: 'Format' }).click();
    await save(page);
    expect(await stored()).toMatchObject({ meta: { a: [1, 2] } });
  });

  it('Markdown: signs by keys and buttons, with a preview', async () => {
    const { page, stored } = await openNew('api::article.article', { title: 'Markdown', body: 'first line' });
    const body = page.getByRole('textbox', { name: 'body' });
    await body.click();
    await press(page, 'Control+End');
    await page.keyboard.type('\n\nsecond');
    await press(page, 'Shift+Home', 'Control+b');
    const bar = page.getByRole('toolbar', { name: 'Formatting' });
    await bar.getByRole('button', { name: 'List', exact: true }).click();
    await bar.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'body: preview' });
    expect(await preview.getByRole('listitem').textContent()).toBe('second');
    await shoot(page, 'editor-markdown');
    await axe(page);
    await save(page);
    expect(await stored()).toMatchObject({ body: 'first line\n\n- **second**' });
  });

  it('files: uploaded in the form, chosen from the library, and dragged', async () => {
    const { page, stored } = await openNew('api::restaurant.restaurant', { name: 'Files' });
    const buffer = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#19693a' } })
      .png()
      .toBuffer();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload: cover' }).click();
    await (await chooser).setFiles([{ name: 'facade.png', mimeType: 'image/png', buffer }]);
    await page.getByRole('list', { name: 'cover' }).getByText('facade.png').waitFor();
    await page.getByRole('button', { name: 'Choose from the library: gallery' }).click();
    for (const name of [/picture-1/, /picture-2/]) await page.getByRole('checkbox', { name }).check();
    await shoot(page, 'editor-library');
    await axe(page);
    await page.getByRole('button', { name: 'Use 2 files' }).click();
    const handle = (name: string) => page.getByRole('button', { name: `Move ${name}` });
    await handle('picture-1.png').scrollIntoViewIfNeeded();
    const [from, to] = await Promise.all([boxAtRest(handle('picture-1.png')), boxAtRest(handle('picture-2.png'))]);
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, from.y + 8, { steps: 4 });
    await page.mouse.move(to.x + 12, to.y + 8, { steps: 8 });
    await page.mouse.up();
    await expect
      .poll(() => page.getByRole('list', { name: 'gallery' }).locator('.files-name').allTextContents())
      .toEqual(['picture-2.png', 'picture-1.png']);
    await shoot(page, 'editor-files');
    await axe(page);
    await save(page);
    expect(await stored()).toMatchObject({
      cover: { name: 'facade.png' },
      gallery: [{ name: 'picture-2.png' }, { name: 'picture-1.png' }],
    });
  });
});
