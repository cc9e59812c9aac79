import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page.tsx';

export default function People(): ReactNode {
  return <PageHeader title="People" />;
}
