import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page.tsx';

export default function Find(): ReactNode {
  return <PageHeader title="Find" />;
}
