import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page.tsx';

export default function Content(): ReactNode {
  return <PageHeader title="Content" />;
}
