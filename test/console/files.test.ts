// Files in the console, as a person uses them: uploaded, described, replaced, used and deleted.
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { axe, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';

const picture = (width: number, height: number, background: string): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

interface Chosen {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}
const text = (name: string): Chosen => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`The text of ${name}`) });

/** By the file chooser that a button opens. */
async function choose(page: Page, button: string, files: readonly Chosen[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).click();
  await (await chooser).setFiles([...files]);
}

/** As if files were dragged from the desktop. */
async function drop(page: Page, selector: string, files: readonly Chosen[]): Promise<void> {
  const sent = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, text: buffer.toString('base64') }));
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, text } of ${JSON.stringify(sent)})
      transfer.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name, { type: mimeType }));
    return transfer;
  })()`);
  const target = page.locator(selector);
  await target.dispatchEvent('dragenter', { dataTransfer: transfer });
  await target.dispatchEvent('dragover', { dataTransfer: transfer });
  await target.dispatchEvent('drop', { dataTransfer: transfer });
}

const names = (page: Page): Promise<string[]> => page.locator('.files-grid .files-name').allTextContents();

describeOnSqlite('Files in the console', (engine) => {
  const console = useConsole(engine);

  it('are uploaded by choosing, described, and replaced', async () => {
    const page = await console.open('/files');
    await page.getByRole('list', { name: 'Files' }).waitFor();
    await choose(page, 'Upload files', [
      { name: 'terrace.png', mimeType: 'image/png', buffer: await picture(900, 600, '#19693a') },
      text('menu.txt'),
    ]);
    await page.getByText('2 files are uploaded').waitFor();
    await expect.poll(() => names(page)).toEqual(expect.arrayContaining(['terrace.png', 'menu.txt']));
    await shoot(page, 'files');
    await axe(page);

    await page.getByRole('button', { name: /terrace\.png/ }).click();
    const details = page.getByRole('dialog', { name: 'terrace.png' });
    await details.getByText('900 × 600').waitFor();
    await details.getByLabel('Alternative text').fill('Tables under trees');
    await details.getByLabel('Caption').fill('Our terrace');
    await details.getByRole('button', { name: 'Set a focal point' }).click();
    await details.getByLabel('Focal point from the left, %').fill('25');
    await details.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await shoot(page, 'file-details');
    await axe(page);
    const [stored] = await console.sheaf.files.find({ filters: { name: 'terrace.png' } });
    expect(stored).toMatchObject({
      alternativeText: 'Tables under trees',
      caption: 'Our terrace',
      focalPoint: { x: 25, y: 50 },
    });

    const before = await details.getByRole('img').getAttribute('src');
    await choose(page, 'Replace', [
      { name: 'garden.png', mimeType: 'image/png', buffer: await picture(640, 640, '#a81f24') },
    ]);
    await page.getByRole('dialog', { name: 'garden.png' }).getByText('640 × 640').waitFor();
    const after = await page.getByRole('dialog').getByRole('img').getAttribute('src');
    expect(after).not.toBe(before);
    expect(await console.sheaf.files.findOne(stored!.id as number)).toMatchObject({
      url: stored!.url,
      width: 640,
      alternativeText: 'Tables under trees',
    });
    // The details are at an address of their own.
    await page.reload();
    await page.getByRole('dialog', { name: 'garden.png' }).getByLabel('Caption').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).searchParams.get('file')).toBeNull();
  });

  it('are uploaded by dropping, and what goes wrong is told at its file', async () => {
    console.allow(/^400 POST \/console\/api\/rest\/upload$/);
    const page = await console.open('/files');
    await page.getByRole('list', { name: 'Files' }).waitFor();
    await drop(page, '.files-view', [
      text('dropped.txt'),
      { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
    ]);
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await uploads.getByRole('alert').waitFor();
    await axe(page);
    await shoot(page, 'files-failed');
    expect(await uploads.locator('li').allTextContents()).toEqual([
      expect.stringMatching(/^broken\.png.*picture|image/),
    ]);
    await expect.poll(() => names(page)).toContain('dropped.txt');
    await uploads.getByRole('button', { name: 'Take broken.png from the list' }).click();
    await expect.poll(() => uploads.count()).toBe(0);

    // One that takes long can be cancelled.
    await page.route('**/rest/upload', () => {});
    await choose(page, 'Upload files', [text('slow.txt')]);
    await uploads.getByRole('progressbar', { name: 'Upload of slow.txt' }).waitFor();
    await uploads.getByRole('button', { name: 'Cancel slow.txt' }).click();
    await expect.poll(() => uploads.count()).toBe(0);
  });

  it('are found by name and kind, in an order, as cards or rows; the address keeps it', async () => {
    for (const name of ['carte-a.txt', 'carte-b.txt'])
      await console.sheaf.files.upload({ name, content: Buffer.from(name) });
    await console.sheaf.files.upload({ name: 'carte-c.png', content: await picture(20, 20, '#000') });
    const page = await console.open('/files?q=carte');
    await expect.poll(() => names(page)).toEqual(['carte-c.png', 'carte-b.txt', 'carte-a.txt']);
    await page.getByLabel('Kind').selectOption('Documents');
    await expect.poll(() => names(page)).toEqual(['carte-b.txt', 'carte-a.txt']);
    await page.getByLabel('Order').selectOption('Name, A to Z');
    await expect.poll(() => names(page)).toEqual(['carte-a.txt', 'carte-b.txt']);
    await page.getByLabel('Search files').fill('carte-b');
    await expect.poll(() => names(page)).toEqual(['carte-b.txt']);
    await page.getByRole('button', { name: 'List' }).click();
    expect(new URL(page.url()).search).toBe('?q=carte-b&kind=files&sort=name%3Aasc&view=list');
    await page.reload();
    await page.getByRole('row', { name: /carte-b\.txt.*Documents/ }).waitFor();
    await shoot(page, 'files-list');
    await axe(page);
    await page.goBack();
    await expect.poll(() => names(page)).toEqual(['carte-a.txt', 'carte-b.txt']);
    // Its picture is not there, as where the database was copied without the files.
    console.allow(/^404 GET \/uploads\/carte_c_/);
    await page.route('**/uploads/carte_c_*', (route) => route.fulfill({ status: 404 }));
    await page.goto(new URL('files?q=carte-c', page.url()).href);
    await expect.poll(() => page.locator('.files-picture-none').allTextContents()).toEqual(['PNG']);
    await page.getByLabel('Search files').fill('nothing is called so');
    await page.getByText('No file matches').waitFor();
    await axe(page);
    await shoot(page, 'files-no-match');
  });

  it('are deleted after a look at the entries that use them, by keyboard, and several at once', async () => {
    const page = await console.open('/files?q=picture-1');
    await page.getByRole('button', { name: /picture-1\.png/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'picture-1.png' }).getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Delete picture-1.png?' });
    await question.getByRole('link', { name: 'Alba' }).waitFor();
    expect(await question.getByRole('list', { name: 'Where it is used' }).textContent()).toBe('Alba Restaurant, cover');
    await shoot(page, 'file-delete');
    await axe(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'picture-1.png', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

    for (const name of ['old-a.txt', 'old-b.txt'])
      await console.sheaf.files.upload({ name, content: Buffer.from(name) });
    await page.getByLabel('Search files').fill('old-');
    for (const name of ['old-a.txt', 'old-b.txt']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await page.getByRole('button', { name: 'Delete the chosen' }).click();
    const several = page.getByRole('dialog', { name: 'Delete 2 files?' });
    await several.getByText('No entry uses them.').waitFor();
    await several.getByRole('button', { name: 'Delete the files' }).click();
    await page.getByText('2 files are deleted').waitFor();
    await page.getByText('No file matches').waitFor();
    expect(await console.sheaf.files.find({ filters: { name: { $startsWith: 'old-' } } })).toEqual([]);
  });

  it('are looked at on a phone', async () => {
    const page = await console.open('/files', { phone: true });
    await page.getByRole('button', { name: /picture-2\.png/ }).click();
    const details = page.getByRole('dialog', { name: 'picture-2.png' });
    await details.getByLabel('Caption').fill('By phone');
    await details.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await shoot(page, 'file-details-phone');
    await axe(page);
    await page.keyboard.press('Escape');
    await shoot(page, 'files-phone');
    await axe(page);
  });

  it('are only seen, uploaded and changed by who may', async () => {
    // An author sees and changes their own.
    await console.makeAccount('eve@example.com', 'strapi-author');
    const page = await console.open('/files', { as: 'eve@example.com' });
    await page.getByText('No files yet').waitFor();
    await axe(page);
    await shoot(page, 'files-none');
    await choose(page, 'Upload files', [text('own.txt')]);
    await expect.poll(() => names(page)).toEqual(['own.txt']);
    await page.getByRole('button', { name: /own\.txt/ }).click();
    await page.getByLabel('Caption').fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();

    // Without the permissions to add and change, there is nothing to do it with.
    await console.makeAccount('edith@example.com', 'strapi-editor');
    const sql = `delete from admin_permissions where action in ('plugin::upload.assets.create', 'plugin::upload.assets.update')
      and id in (select l.permission_id from admin_permissions_role_lnk l join admin_roles r on r.id = l.role_id
      where r.code = 'strapi-editor')`;
    await console.sheaf.database.transaction((session) => session.rows({ sql, bindings: [] }, []));
    const other = await console.open('/files?q=picture-1', { as: 'edith@example.com' });
    await other.getByRole('button', { name: /picture-1\.png/ }).click();
    expect(await other.getByLabel('Caption').isEditable()).toBe(false);
    expect(await other.getByRole('button', { name: /^(Save|Replace|Delete)$/ }).count()).toBe(0);
    await other.keyboard.press('Escape');
    expect(await other.getByRole('checkbox').count()).toBe(0);
    expect(await other.getByRole('button', { name: 'Upload files' }).count()).toBe(0);
  });
});
