package vec

import "golang.org/x/sys/cpu"

// useAVX2 tells whether the processor and the system have what the assembly
// needs. GODEBUG=cpu.avx2=off turns it off.
var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
