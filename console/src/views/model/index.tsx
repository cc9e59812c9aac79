import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page.tsx';

export default function Model(): ReactNode {
  return <PageHeader title="Model" />;
}
