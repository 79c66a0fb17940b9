/* Entry points that are others under another name. */
#ifndef TEG_TOOLS_CUDART_DRIVER_FORWARD_H
#define TEG_TOOLS_CUDART_DRIVER_FORWARD_H

/* A jump leaves the arguments where they are, whatever they are. */
#if defined(__x86_64__)
#define JUMP "jmp "
#define PLT  "@PLT"
#elif defined(__aarch64__)
#define JUMP "b "
#define PLT  ""
#else
#error "no jump for this machine"
#endif

/* `name` is `target`, an entry point that may lie in another file. */
#define FORWARD(name, target)                                               \
    __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name             \
            ", %function\n" #name ":\n\t" JUMP #target PLT "\n.size " #name \
            ", .-" #name "\n");

#endif
